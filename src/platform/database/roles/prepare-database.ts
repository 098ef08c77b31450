import { type Db, openDatabase } from '../database.ts';
import { migrateToLatest, migrationNames } from '../migrate.ts';
import { requireOwnSessions } from '../postgres-sessions.ts';
import { sql } from 'kysely';
import { apiGrants } from './api-grants.ts';
import { type RoleGrants, grantStatements } from './table-grants.ts';
import { workerGrants } from './worker-grants.ts';

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

/** The Postgres role of each process. The third role is the owner of the tables, which only migrations need. */
export const processRoles = { api: 'vaults_api', worker: 'vaults_worker' } as const;

export type Process = keyof typeof processRoles;

const grants: Readonly<Record<Process, RoleGrants>> = { api: apiGrants, worker: workerGrants };

/** Gives each role of a process exactly what the process needs in this database, all or nothing. Returns the roles that do not exist. */
export function grantToRoles(db: Db): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    // Two of them at once would change the same rows of the catalogue, which Postgres refuses.
    await sql`select pg_advisory_xact_lock(hashtextextended('grants', 0))`.execute(tx);
    const { rows } = await sql<{ rolname: string }>`
      select rolname from pg_roles where rolname = any(${Object.values(processRoles)})`.execute(tx);
    const existing = new Set(rows.map(({ rolname }) => rolname));
    for (const [process, role] of Object.entries(processRoles) as [Process, string][])
      if (existing.has(role))
        for (const statement of grantStatements(role, grants[process])) await sql.raw(statement).execute(tx);
    return Object.values(processRoles).filter((role) => !existing.has(role));
  });
}

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
