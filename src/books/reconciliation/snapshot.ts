import type { Db } from '../../platform/database/database.ts';
import type { ReconcileContext } from './reconcile-vault.ts';

/** Reads of one instant, whatever is written meanwhile. */
export function snapshotOf(db: Db): ReconcileContext['snapshot'] {
  return (read) => db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}
