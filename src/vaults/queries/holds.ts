import { sql } from 'kysely';
import type { HoldReason } from '../rules/hold.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** Records that a vault waits for `reason`. Returns false when it already waits for it, and keeps since when. */
export async function raiseHold(
  { tx, now }: TransactionContext,
  vaultId: string,
  reason: HoldReason,
): Promise<boolean> {
  const raised = await tx
    .insertInto('holds')
    .values({ vault_id: vaultId, reason, since: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('reason')
    .executeTakeFirst();
  return raised !== undefined;
}

/** Ends a hold; returns false when there was none. */
export async function releaseHold(db: Db | Transaction, vaultId: string, reason: HoldReason): Promise<boolean> {
  const query = db.deleteFrom('holds').where('vault_id', '=', vaultId).where('reason', '=', reason);
  return (await query.returning('reason').executeTakeFirst()) !== undefined;
}

/** The number of vaults that wait, by reason. */
export async function countHolds(db: Db): Promise<Map<HoldReason, number>> {
  const count = db.fn.countAll<string>().as('count');
  const rows = await db.selectFrom('holds').select(['reason', count]).groupBy('reason').execute();
  return new Map(rows.map((row) => [row.reason, Number(row.count)]));
}

/** Vaults that wait for one of the reasons, in random order, so that no vault is left out for long when there are more than `limit`. */
export async function vaultsHeldFor(db: Db, reasons: readonly HoldReason[], limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .select('vault_id')
    .where('reason', 'in', reasons)
    .groupBy('vault_id')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map((row) => row.vault_id);
}
