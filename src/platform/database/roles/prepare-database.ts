import { openDatabase } from '../database.ts';
import { migrateToLatest } from '../migrate.ts';
import { requireOwnSessions } from '../postgres-sessions.ts';
import { grantToRoles } from './grant-to-roles.ts';

/**
 * Migrates a database to the newest schema and gives the roles of the processes what they need in it; safe to repeat, and while
 * processes run. The URL is the owner's. Returns the roles that the cluster does not have. Throws as `requireOwnSessions` and
 * `migrateToLatest` do.
 */
export async function prepareDatabase(ownerUrl: string): Promise<string[]> {
  await requireOwnSessions(ownerUrl);
  await migrateToLatest(ownerUrl);
  // Short-lived, so idle errors need no handler: a query on a broken connection fails itself.
  const db = openDatabase(ownerUrl, () => undefined, 1);
  try {
    return await grantToRoles(db);
  } finally {
    await db.destroy();
  }
}
