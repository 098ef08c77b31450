import type { Db } from './database.ts';
import { countUnnumberedEvents } from './event-sequence.ts';
import { countHolds } from './holds.ts';
import { countQuarantined } from './quarantine.ts';
import { lastReconciliation } from './books/listed-reconciliations.ts';

/** Counts what waits in Postgres, over all processes. */
export async function readBacklog(db: Db) {
  const [unsequencedEvents, holds, quarantined, reconciliation] = await Promise.all([
    countUnnumberedEvents(db),
    countHolds(db),
    countQuarantined(db),
    lastReconciliation(db),
  ]);
  return { unsequencedEvents, holds, quarantined, reconciliation };
}
