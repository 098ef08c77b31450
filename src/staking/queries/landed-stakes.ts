import { sql } from 'kysely';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { Db } from '../../platform/database/database.ts';

/** Where a wallet may have stakes in a vault. */
export interface StakePlaces {
  readonly vaultId: string;
  readonly wallet: string;
  readonly addresses: readonly string[];
}

/** The outputs with the stakes of a wallet that still have power, where a followed block has brought them to one of the addresses. */
export async function landedStakesAt(db: Db, { vaultId, wallet, addresses }: StakePlaces): Promise<UtxoRef[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectFrom('stakes')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .select('brought.hash')
    .where('stakes.vault_id', '=', vaultId)
    .where('stakes.wallet', '=', wallet)
    .where(sql<boolean>`stakes.voting_power > 0`)
    .where('brought.state', 'in', ['confirmed', 'final'])
    .where(sql<string>`brought.outputs -> 0 ->> 'address'`, 'in', addresses)
    .execute();
  return rows.map(({ hash }) => ({ txHash: hash, index: 0 }));
}
