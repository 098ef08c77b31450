import { requireMayName, type Caller, mayActForAnyWallet } from './rules.ts';
import { parseWalletAddress, type WalletAddress } from '../cardano/scripts/address.ts';
import type { WalletUtxo } from '../cardano/cbor/wallet-utxo.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { findPlatform, type Platform } from '../operations/queries.ts';
import type { ServiceContext } from '../context.ts';

/** The wallet whose funds an operation moves, and who signs for it. */
export interface ActingWallet extends WalletAddress {
  readonly signer: 'wallet' | 'platform';
  /** The wallet again when an API key acts for it; recorded in the audit log. */
  readonly onBehalfOf: string | undefined;
  /** More of the wallet than this address, as the request names it; the ledger is asked whether it is true. */
  readonly funds?: NamedFunds | undefined;
}

/** A UTxO, and its position in the request that names it. */
export interface NamedUtxo extends WalletUtxo {
  readonly position: number;
}

/** UTxOs of a wallet, or the stake address that all its addresses share. */
export type NamedFunds =
  | { readonly kind: 'utxos'; readonly utxos: readonly NamedUtxo[] }
  | { readonly kind: 'stake'; readonly address: string };

/** The wallet `caller` acts for: the one named in `field`, else that of its session, else the platform's own (design D17, D18). */
export async function actingWalletOf(
  { db, networkId }: ServiceContext,
  caller: Caller,
  named: string | undefined,
  field: string,
): Promise<ActingWallet> {
  const wallet = named ?? caller.wallet;
  if (wallet === null) return platformWallet(db, caller);
  const parsed = parseWalletAddress(wallet, networkId, field);
  return { ...parsed, signer: 'wallet', onBehalfOf: requireMayName(caller, parsed.address) };
}

/** The addresses of the platform. Throws SERVICE_NOT_READY until a worker has published them. */
export async function requirePlatform(db: Db | Transaction): Promise<Platform> {
  const platform = await findPlatform(db);
  if (!platform) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
  return platform;
}

async function platformWallet(db: Db, caller: Caller): Promise<ActingWallet> {
  if (!mayActForAnyWallet(caller)) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      required: 'session of a wallet, or permission wallet:UPDATE',
    });
  }
  const { operatorAddress: address, operatorKeyHash: paymentKeyHash } = await requirePlatform(db);
  return { address, paymentKeyHash, signer: 'platform', onBehalfOf: address };
}
