import type { Database } from '../database.ts';

type Table = keyof Database | 'kysely_migration';

/** What a role may do with each table, in SQL; nothing with the others. */
export type RoleGrants = Readonly<Partial<Record<Table, string>>>;

/** The statements that give a role exactly these rights. */
export function grantStatements(role: string, grants: RoleGrants): string[] {
  return [
    `revoke all on all tables in schema public from ${role}`,
    `grant usage on schema public to ${role}`,
    ...Object.entries(grants).map(([table, privileges]) => `grant ${privileges} on ${table} to ${role}`),
  ];
}
