import { sql } from 'kysely';
import type { NetworkId } from '../../src/cardano/transaction.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { findPlatform } from '../../src/operations/queries.ts';
import { type SimulatedWallet, simulatedWallets } from './wallet-keys.ts';

export interface ListedWallet {
  readonly address: string;
  /** Null for the platform's own wallet, whose keys only the worker has. */
  readonly stakeAddress: string | null;
  readonly platform: boolean;
}

/** The simulated wallets of this database. */
export interface Wallets {
  create(): Promise<SimulatedWallet>;
  list(): Promise<ListedWallet[]>;
  /** Throws WALLET_NOT_FOUND, also for the platform's own wallet. */
  byAddress(address: string): Promise<SimulatedWallet>;
}

/** Opens the wallets. Keys derive from a fixed mnemonic, so the database stores only which accounts exist. */
export function openWallets(db: Db, networkId: NetworkId): Wallets {
  const ofAccount = simulatedWallets(networkId);
  return {
    async create() {
      const { rows } = await sql<{ account: number }>`
        insert into development.wallets default values returning account
      `.execute(db);
      const account = rows[0]?.account ?? 0;
      const wallet = ofAccount(account);
      await sql`update development.wallets set address = ${wallet.address} where account = ${account}`.execute(db);
      return wallet;
    },

    async list() {
      const { rows } = await sql<{ account: number }>`
        select account from development.wallets where address is not null order by account
      `.execute(db);
      const wallets = rows.map(({ account }) => ofAccount(account));
      const platform = await findPlatform(db);
      return [
        ...(platform ? [{ address: platform.operatorAddress, stakeAddress: null, platform: true }] : []),
        ...wallets.map(({ address, stakeAddress }) => ({ address, stakeAddress, platform: false })),
      ];
    },

    async byAddress(address) {
      const { rows } = await sql<{ account: number }>`
        select account from development.wallets where address = ${address.toLowerCase()}
      `.execute(db);
      if (!rows[0]) throw new ServiceError('WALLET_NOT_FOUND');
      return ofAccount(rows[0].account);
    },
  };
}
