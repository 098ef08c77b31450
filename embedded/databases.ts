import pg from 'pg';
import { type Process, prepareDatabase, processRoles } from '../src/platform/database/roles/prepare-database.ts';
import { OtherDatabase } from '../src/platform/database/migrate.ts';
import { otherData, query } from './postgres.ts';
import type { Secrets } from './secrets.ts';

/** The database's URL for its owner, and for each process. */
export type DatabaseUrls = Readonly<Record<'owner' | Process, string>>;

type Passwords = Pick<Secrets, 'apiDatabasePassword' | 'workerDatabasePassword'>;

const passwordOf = (process: Process, passwords: Passwords): string => passwords[`${process}DatabasePassword`];

/** Creates the role of each process in the cluster, unless it exists. */
export async function ensureRoles(maintenanceUrl: string, passwords: Passwords): Promise<void> {
  const { rows } = await query(maintenanceUrl, 'SELECT rolname FROM pg_roles');
  const existing = new Set((rows as { rolname: string }[]).map(({ rolname }) => rolname));
  const missing = (Object.entries(processRoles) as [Process, string][]).filter(([, role]) => !existing.has(role));
  const statements = missing.map(
    ([process, role]) => `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(passwordOf(process, passwords))}`,
  );
  if (statements.length > 0) await query(maintenanceUrl, statements.join(';'));
}

/** The URLs of a database in a cluster that has the roles. */
export function databaseUrls(owner: string, passwords: Passwords): DatabaseUrls {
  const urlOf = (process: Process): string => {
    const url = new URL(owner);
    url.username = processRoles[process];
    url.password = passwordOf(process, passwords);
    return url.href;
  };
  return { owner, api: urlOf('api'), worker: urlOf('worker') };
}

/** Prepares a database for the processes of an embedded stack: its schema, their rights, and what only development has. */
export async function prepareEmbeddedDatabase(ownerUrl: string): Promise<void> {
  const missing = await prepareDatabase(ownerUrl).catch((error: unknown) => {
    throw error instanceof OtherDatabase ? new Error(`${error.message}. ${otherData}`, { cause: error }) : error;
  });
  const isMissing = missing.includes(processRoles.api);
  await query(ownerUrl, [...developmentTables, ...(isMissing ? [] : developmentGrants)].join(';'));
}

/** In a schema of its own, because the service's migrations do not know it, and `ops migrate` ends each other right in theirs. */
const developmentTables = [
  'create schema if not exists development',
  'create table if not exists development.wallets (account serial primary key, address text unique)',
  `create or replace function development.store_clock_offset(milliseconds bigint) returns void
     language sql security definer set search_path = public, pg_temp
     as 'update clock_offset set offset_ms = milliseconds'`,
];

/** The endpoints under /dev run in the api. */
const developmentGrants = [
  'revoke execute on function development.store_clock_offset from public',
  `grant execute on function development.store_clock_offset to ${processRoles.api}`,
  `grant usage on schema development to ${processRoles.api}`,
  `grant select, insert, update on development.wallets to ${processRoles.api}`,
  `grant usage on sequence development.wallets_account_seq to ${processRoles.api}`,
];
