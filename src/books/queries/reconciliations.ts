import { sql } from 'kysely';
import { type Difference, differenceCodes, type DifferenceKind } from '../rules/difference.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { endPlan, planAllVaults, planDueVaults, type PlannedVault, recordComparison } from './reconciled-vaults.ts';

/** A comparison of the books of vaults with the ledger. */
export interface Reconciliation {
  readonly id: string;
  readonly startedBy: 'schedule' | 'operator';
  readonly startedAt: Instant;
  /** Null while it is under way, and when it never ended. */
  readonly endedAt: Instant | null;
  /** Number of vaults compared so far. */
  readonly vaults: number;
  /** Number of vaults that were due when it ended, and were left to the next one. */
  readonly vaultsLeft: number;
  readonly differences: Readonly<Record<DifferenceKind, number>>;
}

/** Reports older than this are deleted. */
const KEPT_SECONDS = 90 * 24 * 3600;

/** Begins a report, of all vaults for an operator, of those that are due for the Schedule; returns its id. */
export async function insertReconciliation(
  transaction: TransactionContext,
  startedBy: Reconciliation['startedBy'],
): Promise<string> {
  const { tx, ids, now } = transaction;
  await tx
    .deleteFrom('reconciliations')
    .where('started_at', '<', new Date(secondsAfter(now, -KEPT_SECONDS)))
    .execute();
  const id = ids.next();
  await tx
    .insertInto('reconciliations')
    .values({ id, started_by: startedBy, started_at: new Date(now) })
    .execute();
  await (startedBy === 'operator' ? planAllVaults : planDueVaults)(transaction, id);
  return id;
}

/** Records that a vault was compared, once, with what differs. */
export async function recordCompared(
  { tx, now }: TransactionContext,
  reconciliationId: string,
  { vaultId, position }: PlannedVault,
  differences: readonly Difference[],
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('reconciliations')
    .set({ last_position: position, vaults: sql<number>`vaults + 1` })
    .where('id', '=', reconciliationId)
    .where('last_position', '<', position)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  await recordComparison({ tx, now }, vaultId);
  if (differences.length === 0) return;
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
  const left = await endPlan({ tx }, id);
  await tx
    .updateTable('reconciliations')
    .set({ ended_at: new Date(now), vaults_left: left })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}
