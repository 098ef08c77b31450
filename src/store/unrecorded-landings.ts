import type { ChainTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from './database.ts';
import { notLanded } from './followed-transactions.ts';

/** Open transactions of which it could not be recorded that a block has them, and that a block in `slot` may still have. */
export async function unrecordedLandings(
  db: Db,
  slot: number,
  limit: number,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('state', 'in', notLanded)
    .where('ttl_slot', '>', String(slot))
    .where('expiry_failed_at', 'is not', null)
    .orderBy('expiry_failed_at')
    .limit(limit)
    .execute();
}

/** Whether another transaction of the vault waits to be recorded like one of `unrecordedLandings`. */
export async function isAnotherUnrecorded(
  tx: Transaction,
  { id, vaultId }: { readonly id: string; readonly vaultId: string },
): Promise<boolean> {
  const ofVault = tx
    .selectFrom('chain_transactions')
    .select('id')
    .where('vault_id', '=', vaultId)
    .where('id', '<>', id);
  const open = ofVault.where('state', 'in', notLanded);
  return (await open.where('expiry_failed_at', 'is not', null).limit(1).executeTakeFirst()) !== undefined;
}
