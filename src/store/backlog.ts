import { countUnlandedAnchors } from './anchor-batches.ts';
import type { Db } from './database.ts';
import { countUnnumberedEvents } from './event-sequence.ts';
import { countHolds } from './holds.ts';
import { countQuarantined } from './quarantine.ts';
import { lastReconciliation } from './books/listed-reconciliations.ts';
import { oldestComparison } from './books/reconciled-vaults.ts';

/** Counts what waits in Postgres, over all processes. */
export async function readBacklog(db: Db) {
  const [unsequencedEvents, holds, quarantined, unlandedAnchors, reconciliation, oldestComparedAt] = await Promise.all([
    countUnnumberedEvents(db),
    countHolds(db),
    countQuarantined(db),
    countUnlandedAnchors(db),
    lastReconciliation(db),
    oldestComparison(db),
  ]);
  return { unsequencedEvents, holds, quarantined, unlandedAnchors, reconciliation, oldestComparedAt };
}
