import { sql } from 'kysely';
import { type Difference, differenceCodes, type DifferenceKind } from '../../domain/reconciliation/difference.ts';
import { type Instant, secondsAfter } from '../../domain/units/instant.ts';
import type { Db } from '../database.ts';
import type { TransactionContext } from '../transaction-context.ts';
import { isWatched } from '../watched-vaults.ts';

/** A comparison of the books of all vaults with the ledger. */
export interface Reconciliation {
  readonly id: string;
  readonly startedBy: 'schedule' | 'operator';
  readonly startedAt: Instant;
  /** Null while it is under way, and when it never ended. */
  readonly endedAt: Instant | null;
  /** Number of vaults compared so far. */
  readonly vaults: number;
  readonly differences: Readonly<Record<DifferenceKind, number>>;
}

/** Reports older than this are deleted. */
const KEPT_SECONDS = 90 * 24 * 3600;

export async function insertReconciliation(
  { tx, ids, now }: TransactionContext,
  startedBy: Reconciliation['startedBy'],
): Promise<string> {
  await tx
    .deleteFrom('reconciliations')
    .where('started_at', '<', new Date(secondsAfter(now, -KEPT_SECONDS)))
    .execute();
  const id = ids.next();
  await tx
    .insertInto('reconciliations')
    .values({ id, started_by: startedBy, started_at: new Date(now) })
    .execute();
  return id;
}

/** The next vaults, by id, that a reconciliation has not compared yet. */
export async function vaultsToReconcile(db: Db, reconciliationId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('vaults')
    .select('id')
    .where('deleted_at', 'is', null)
    .where(isWatched(sql`(select started_at from reconciliations where id = ${reconciliationId})`))
    .where(
      sql<boolean>`id > coalesce((select last_vault_id from reconciliations where id = ${reconciliationId}),
        '00000000-0000-0000-0000-000000000000')`,
    )
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Records that a vault was compared, once, with what differs. */
export async function recordCompared(
  { tx }: TransactionContext,
  reconciliationId: string,
  vaultId: string,
  differences: readonly Difference[],
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('reconciliations')
    .set({ last_vault_id: vaultId, vaults: sql<number>`vaults + 1` })
    .where('id', '=', reconciliationId)
    .where((eb) => eb.or([eb('last_vault_id', 'is', null), eb('last_vault_id', '<', vaultId)]))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n || differences.length === 0) return;
  const rows = differences.map(({ code, subject, books, ledger }) => {
    return {
      reconciliation_id: reconciliationId,
      vault_id: vaultId,
      code,
      kind: differenceCodes[code],
      subject,
      books,
      ledger,
    };
  });
  await tx.insertInto('reconciliation_differences').values(rows).execute();
}

export async function endReconciliation({ tx, now }: TransactionContext, id: string): Promise<void> {
  await tx
    .updateTable('reconciliations')
    .set({ ended_at: new Date(now) })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}
