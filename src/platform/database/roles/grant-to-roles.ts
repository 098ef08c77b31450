import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { apiGrants } from './api-grants.ts';
import { grantStatements, type RoleGrants } from './table-grants.ts';
import { workerGrants } from './worker-grants.ts';

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
