import { countUnlandedAnchors } from '../../anchoring/queries/anchor-batches.ts';
import type { Db } from '../../platform/database/database.ts';
import { countUnnumberedEvents } from '../../events/queries/event-sequence.ts';
import { countHolds } from '../../vaults/queries/holds.ts';
import { countQuarantined } from '../../ledger-follower/queries/quarantine.ts';
import { lastReconciliation } from '../../books/queries/listed-reconciliations.ts';
import { oldestComparison } from '../../books/queries/reconciled-vaults.ts';

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
