import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** The ledger has another history than the recorded one, deeper than a rollback may reach by itself. */
export interface LedgerHold {
  readonly since: Instant;
  /** Height of the last recorded block. */
  readonly tipHeight: number;
  /** Height of the last recorded block that the ledger has; null when it has none of them. */
  readonly forkHeight: number | null;
  /** First block of the ledger's history that an operator has accepted; null while they have not. */
  readonly acceptedFrom: number | null;
}

/** Null while the ledger is followed. */
export async function readLedgerHold(db: Db | Transaction): Promise<LedgerHold | null> {
  const row = await db.selectFrom('ledger_hold').selectAll().executeTakeFirst();
  if (!row) return null;
  return {
    since: instant(row.since),
    tipHeight: Number(row.tip_height),
    forkHeight: numberOrNull(row.fork_height),
    acceptedFrom: numberOrNull(row.accepted_from),
  };
}

/** Records where the histories part; returns whether that begins a hold or moves it. */
export async function holdLedger(
  { tx, now }: TransactionContext,
  { tipHeight, forkHeight }: Pick<LedgerHold, 'tipHeight' | 'forkHeight'>,
): Promise<boolean> {
  const current = await readLedgerHold(tx);
  if (current?.tipHeight === tipHeight && current.forkHeight === forkHeight) return false;
  const where = {
    tip_height: BigInt(tipHeight),
    fork_height: forkHeight === null ? null : BigInt(forkHeight),
    accepted_from: null,
  };
  await tx
    .insertInto('ledger_hold')
    .values({ since: new Date(now), ...where })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(where))
    .execute();
  return true;
}

/** Accepts the ledger's history from a block on; the follower takes it over. */
export async function acceptLedgerHistory(tx: Transaction, from: number): Promise<void> {
  await tx
    .updateTable('ledger_hold')
    .set({ accepted_from: BigInt(from) })
    .execute();
}

export async function endLedgerHold(tx: Transaction): Promise<void> {
  await tx.deleteFrom('ledger_hold').execute();
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}
