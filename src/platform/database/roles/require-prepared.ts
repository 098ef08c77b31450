import { sql } from 'kysely';
import { type Db, openDatabase } from '../database.ts';
import { migrationNames } from '../migrate.ts';
import { requireOwnSessions } from '../postgres-sessions.ts';
import { type Process, processRoles } from './grant-to-roles.ts';

interface Starting {
  readonly databaseUrl: string;
  readonly process: Process;
  /** Whether nothing of value can be lost: then a process may also start as the owner. */
  readonly isDevelopment: boolean;
}

/**
 * Throws an Error unless the database has every migration of this release and, outside development, the process has no more rights
 * in it than its role: neither the owner's, nor as an api the worker's. Throws as `requireOwnSessions` does.
 */
export async function requirePrepared({ databaseUrl, process, isDevelopment }: Starting): Promise<void> {
  await requireOwnSessions(databaseUrl);
  // Short-lived, so idle errors need no handler: a query on a broken connection fails itself.
  const db = openDatabase(databaseUrl, () => undefined, 1);
  try {
    await requireMigrated(db, process);
    if (!isDevelopment) await requireNoMore(db, process);
  } finally {
    await db.destroy();
  }
}

const advice = 'run `npm run ops -- migrate` as the owner of the database first';

async function requireMigrated(db: Db, process: Process): Promise<void> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_table_privilege(to_regclass('kysely_migration'), 'select') as may`.execute(db);
  if (rows[0]?.may !== true)
    throw new Error(`the database is not prepared for the role ${processRoles[process]}: ${advice}`);
  const done = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const found = new Set(done.rows.map(({ name }) => name));
  const missing = (await migrationNames()).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`the database lacks migration ${missing.join(', ')}: ${advice}`);
}

async function requireNoMore(db: Db, process: Process): Promise<void> {
  const { rows } = await sql<{ owns: boolean; signs: boolean }>`
    select pg_has_role(relowner, 'member') as owns, has_column_privilege(oid, 'signed_cbor', 'update') as signs
    from pg_class where oid = 'chain_transactions'::regclass`.execute(db);
  const [{ owns, signs } = { owns: true, signs: true }] = rows;
  if (owns || (process === 'api' && signs))
    throw new Error(
      `the ${process} may write more of the database than it needs: let it log in as ${processRoles[process]}`,
    );
}
