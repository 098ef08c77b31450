import { runAll } from '../../domain/failures.ts';
import { freeActionsCountSince } from '../../domain/identity/free-action.ts';
import { wallClock } from '../../domain/units/clock.ts';
import { deleteFreeActions } from '../../store/free-actions.ts';
import { deleteExpiredResponses } from '../../store/idempotency.ts';
import { deleteExpiredNonces } from '../../store/nonces.ts';
import { deleteOldEvents } from '../../store/numbered-events.ts';
import { deleteEndedWindows } from '../../store/rate-limits.ts';
import { deleteOldChanges } from '../../store/recorded-changes.ts';
import { deleteExpiredSessions } from '../../store/sessions.ts';
import { deleteVersionUsage } from '../../store/version-usage.ts';
import { deleteSentMessages } from '../../store/workflow-outbox.ts';
import { anchorAuditLog } from '../audit/anchor-audit-log.ts';
import { tendOperatorFunds } from '../operator/tend-operator-funds.ts';
import { publishVaultKeys } from '../operator/publish-vault-keys.ts';
import { eraseDeletedVaults } from '../vaults/erase-deleted-vaults.ts';
import { wakeHeldVaults } from '../vaults/wake-held-vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A younger message is still on its usual way. */
const LOST_AFTER_MS = 2000;
/** As long as the longest support window of a version, and some. */
const USAGE_KEPT_DAYS = 400;

/** The dependencies of `sweep`. */
export type SweepContext = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'readingTime'
  | 'priceSource'
  | 'durationBounds'
  | 'keys'
  | 'outboxRelay'
  | 'ledger'
  | 'networkState'
  | 'anchors'
  | 'eventsKeptDays'
>;

/** Does the regular upkeep; returns how many lost messages were sent. Throws at the end when a part of it has failed. */
export async function sweep(context: SweepContext): Promise<number> {
  const now = new Date(wallClock.now());
  let sent = 0;
  // Those that depend on the ledger and the price feed come last, because these may be unavailable or slow.
  const parts = [
    () => publishVaultKeys(context),
    () => deleteExpiredRows(context, now),
    () => deleteOldEvents(context.db, daysBefore(now, context.eventsKeptDays)),
    async () => eraseDeletedVaults(context.db, await context.readingTime()),
    async () => deleteFreeActions(context.db, freeActionsCountSince(await context.readingTime())),
    async () => (sent = await context.outboxRelay.deliverAll({ minAgeMs: LOST_AFTER_MS })),
    () => tendOperatorFunds(context),
    () => anchorAuditLog(context),
    () => wakeHeldVaults(context),
  ];
  await runAll(parts, 1);
  context.outboxRelay.deliver();
  return sent;
}

async function deleteExpiredRows({ db }: Pick<SweepContext, 'db'>, now: Date): Promise<void> {
  await Promise.all([
    deleteExpiredNonces(db, now),
    deleteExpiredSessions(db, now),
    deleteExpiredResponses(db, now),
    deleteEndedWindows(db, now),
    deleteSentMessages(db),
    deleteOldChanges(db),
    deleteVersionUsage(db, daysBefore(now, USAGE_KEPT_DAYS)),
  ]);
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000);
