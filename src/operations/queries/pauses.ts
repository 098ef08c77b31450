import type { Pause, PausedArea } from '../rules/pause.ts';
import { instant } from '../../platform/units/instant.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** The areas that are paused now. */
export async function activePauses(db: Db | Transaction): Promise<Pause[]> {
  const rows = await db.selectFrom('pauses').select(['area', 'reason', 'since']).orderBy('area').execute();
  return rows.map(({ since, ...pause }) => ({ ...pause, since: instant(since) }));
}

/** Pauses an area; one that is paused keeps its time and gets the new reason. */
export async function setPause(
  { tx, now }: TransactionContext,
  { area, reason }: Pick<Pause, 'area' | 'reason'>,
): Promise<void> {
  await tx
    .insertInto('pauses')
    .values({ area, reason, since: new Date(now) })
    .onConflict((conflict) => conflict.column('area').doUpdateSet({ reason }))
    .execute();
}

/** Ends the pause of an area; returns whether there was one. */
export async function endPause(tx: Transaction, area: PausedArea): Promise<boolean> {
  return (await tx.deleteFrom('pauses').where('area', '=', area).returning('area').execute()).length > 0;
}
