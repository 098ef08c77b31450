import { runAll } from '../../platform/errors/failures.ts';
import { freeActionsCountSince } from '../../access/rules/free-action.ts';
import { deleteExpired } from '../queries/delete-expired.ts';
import { anchorAuditLog } from '../../access/audit/anchor-audit-log.ts';
import { tendOperatorFunds } from '../tend-operator-funds.ts';
import { publishVaultKeys } from '../publish-vault-keys.ts';
import { eraseDeletedVaults } from '../../vaults/erase-deleted-vaults.ts';
import { wakeHeldVaults } from '../../vaults/wake-held-vaults.ts';
import type { WorkerContext } from '../../worker-context.ts';

/** A younger message is still on its usual way. */
const LOST_AFTER_MS = 2000;

/** The dependencies of `sweep`. */
export type SweepContext = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'readingTime'
  | 'priceSource'
  | 'durationBounds'
  | 'keys'
  | 'operatorBudget'
  | 'outboxRelay'
  | 'ledger'
  | 'networkState'
  | 'anchors'
  | 'eventsKeptDays'
>;

/** Does the regular upkeep; returns how many lost messages were sent. Throws at the end when a part of it has failed. */
export async function sweep(context: SweepContext): Promise<number> {
  let sent = 0;
  // Lost messages wait for no deletion. What depends on the ledger and the price feed comes last, because these may be unavailable or slow.
  const parts = [
    () => publishVaultKeys(context),
    async () => eraseDeletedVaults(context.db, await context.readingTime()),
    async () => (sent = await context.outboxRelay.deliverAll({ minAgeMs: LOST_AFTER_MS })),
    () => deleteRows(context),
    () => tendOperatorFunds(context),
    () => anchorAuditLog(context),
    () => wakeHeldVaults(context),
  ];
  await runAll(parts, 1);
  context.outboxRelay.deliver();
  return sent;
}

async function deleteRows({ db, readingTime, eventsKeptDays }: SweepContext): Promise<void> {
  await deleteExpired(db, { eventsKeptDays, freeActionsSince: freeActionsCountSince(await readingTime()) });
}
