import type { UtxoRef } from '../chain/transaction.ts';
import { type Instant, instant } from '../domain/instant.ts';
import type { Transaction } from './database.ts';

/** A transaction that nobody has sent yet, and until when it may wait. */
export interface LeaseHolder {
  readonly hash: string;
  readonly expiresAt: Instant;
}

/** The transactions that wait for signatures and hold some of these outputs meanwhile, the first to expire first. */
export async function leaseHolders(tx: Transaction, utxos: readonly UtxoRef[]): Promise<LeaseHolder[]> {
  if (utxos.length === 0) return [];
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await tx
    .selectFrom('utxo_leases')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'utxo_leases.transaction_id')
    .select(['utxo_leases.tx_hash', 'output_index', 'hash', 'expires_at'])
    .where('utxo_leases.tx_hash', 'in', hashes)
    .where('state', '=', 'awaiting_signatures')
    .orderBy('expires_at')
    .execute();
  const held = new Set(utxos.map(({ txHash, index }) => `${txHash}#${index}`));
  const holders = rows.filter((lease) => held.has(`${lease.tx_hash}#${lease.output_index}`));
  const byHash = new Map(holders.map(({ hash, expires_at: expiresAt }) => [hash, instant(expiresAt)]));
  return [...byHash].map(([hash, expiresAt]) => ({ hash, expiresAt }));
}
