import type { Db } from '../platform/database/database.ts';
import type { Instant } from '../platform/units/instant.ts';
import { deleteVaultRows, findDeletionObstacles, markErased, vaultsToErase } from './queries/vault-deletion.ts';
import { isAnyOpen } from '../transactions/queries/vault-transactions.ts';

/** A batch is a database transaction of its own, which takes some milliseconds. */
const BATCH = 1000;
/** The rest waits for the next sweep, so that a large vault keeps nothing else waiting. */
const BATCHES = 100;
const MAX_VAULTS = 20;

/**
 * Deletes, in batches, the rows of deleted vaults (design D39). Those of a vault that still returns something, or whose transactions
 * can still change it, stay until it no longer does; no reader sees them meanwhile.
 */
export async function eraseDeletedVaults(db: Db, now: Instant, batches = BATCHES): Promise<void> {
  let left = batches;
  for (const vaultId of await vaultsToErase(db, MAX_VAULTS)) {
    if (await isInUse(db, vaultId, now)) continue;
    while (left > 0 && (await deleteVaultRows(db, vaultId, BATCH)) > 0) left -= 1;
    if (left === 0) return;
    await markErased(db, vaultId, now);
  }
}

async function isInUse(db: Db, vaultId: string, now: Instant): Promise<boolean> {
  if ((await findDeletionObstacles(db, vaultId, now)).length > 0) return true;
  return isAnyOpen(db, vaultId, ['create_vault']);
}
