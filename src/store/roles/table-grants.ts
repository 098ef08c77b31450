import type { Database } from '../database.ts';

/** What a role may do with one table, in SQL's words. It may read all of it unless `select` names the only columns. */
export interface TableGrant<Column extends string = string> {
  readonly select?: readonly Column[];
  readonly insert?: 'all' | readonly Column[];
  readonly update?: readonly Column[];
  readonly delete?: true;
}

/** What a role may do, by table; nothing with the others. */
export type RoleGrants = {
  readonly [Table in keyof Database]?: TableGrant<keyof Database[Table] & string>;
} & {
  /** Written by triggers, with the rights of the process that causes the change. */
  readonly changes?: TableGrant<'subject' | 'transaction' | 'at'>;
  readonly kysely_migration?: TableGrant<'name' | 'timestamp'>;
};

/** The statements that give a role exactly these rights. */
export function grantStatements(role: string, grants: RoleGrants): string[] {
  const given = Object.entries(grants) as [string, TableGrant][];
  return [
    `revoke all on all tables in schema public from ${role}`,
    `grant usage on schema public to ${role}`,
    ...given.map(([table, grant]) => `grant ${privileges(grant).join(', ')} on ${table} to ${role}`),
  ];
}

function privileges({ select, insert = [], update = [], delete: mayDelete }: TableGrant): string[] {
  return [
    ...(select === undefined ? ['select'] : ofColumns('select', select)),
    ...(insert === 'all' ? ['insert'] : ofColumns('insert', insert)),
    ...ofColumns('update', update),
    ...(mayDelete ? ['delete'] : []),
  ];
}

function ofColumns(privilege: string, columns: readonly string[]): string[] {
  return columns.length === 0 ? [] : [`${privilege} (${columns.join(', ')})`];
}
