import {
  insertQuarantined,
  type QuarantineEntry,
  quarantineOf,
  deleteQuarantined,
  isVaultInQuarantine,
} from './queries/quarantine.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { signalTransactionChanged } from '../platform/temporal/workflow-outbox.ts';
import type { TransactionHead } from '../transactions/queries/transactions.ts';
import type { StateChange } from '../transactions/queries/changes.ts';
import { hasEnded } from '../transactions/rules.ts';
import { holdForOperator, endHold } from '../vaults/holds.ts';

/** Called when effects of a transaction are quarantined. */
export type OnQuarantine = (transaction: TransactionHead, change: StateChange, error: unknown) => void;

/** Keeps failed effects for an operator, and holds the vault (design D45). */
export async function quarantine(
  context: TransactionContext,
  transaction: TransactionHead,
  change: StateChange,
  error: unknown,
): Promise<void> {
  await insertQuarantined(context, transaction.id, {
    ...entryOf(transaction, change),
    error: errorText(error),
    attempts: 1,
  });
  if (transaction.vaultId !== null) await holdForOperator(context, transaction.vaultId, 'quarantined');
}

/** The words of an error, for an operator. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/**
 * Lets a change wait behind those of its transaction that are in quarantine, since effects build on each other; returns
 * whether it has to. A rollback of what was never applied, and its opposite, cancel each other: what was final before, once it is final again.
 */
export async function waitBehindQuarantine(
  context: TransactionContext,
  transaction: TransactionHead,
  change: StateChange,
): Promise<boolean> {
  const waiting = await quarantineOf(context.tx, transaction.id);
  if (waiting.length === 0) return false;
  const cancelled = cancelledBy(change, waiting);
  if (cancelled.length > 0) {
    await endQuarantine(context, transaction, cancelled);
  } else {
    const error = 'waits behind the entry before it';
    await insertQuarantined(context, transaction.id, { ...entryOf(transaction, change), error, attempts: 0 });
  }
  return true;
}

/** The waiting changes that a change undoes before they were ever applied. */
function cancelledBy({ to, direction }: StateChange, waiting: readonly QuarantineEntry[]): readonly QuarantineEntry[] {
  if (direction === 'rollback') {
    const place = waiting.findLastIndex((entry) => entry.to === 'confirmed');
    const confirmation = waiting[place];
    // What a late confirmation restores of a transaction that had ended stays to be done.
    return confirmation === undefined || hasEnded(confirmation.from) ? [] : waiting.slice(place);
  }
  const rolledBack = waiting.at(to === 'final' ? -2 : -1);
  const isUndone = rolledBack?.isRollback === true && rolledBack.from === to;
  return isUndone ? waiting.slice(waiting.indexOf(rolledBack)) : [];
}

function entryOf({ state, blockHeight }: TransactionHead, { to, direction }: StateChange) {
  return { from: state, to, isRollback: direction === 'rollback', blockHeight };
}

/** Removes entries of a transaction. Ends the hold of a vault of which nothing is in quarantine any more; its workflow continues. */
export async function endQuarantine(
  context: TransactionContext,
  { vaultId }: TransactionHead,
  entries: readonly QuarantineEntry[],
): Promise<void> {
  await deleteQuarantined(
    context.tx,
    entries.map(({ id }) => id),
  );
  if (vaultId === null || (await isVaultInQuarantine(context.tx, vaultId))) return;
  await endHold(context, vaultId, 'quarantined');
  await signalTransactionChanged(context, vaultWorkflowId(vaultId));
}
