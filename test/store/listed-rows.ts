import { randomUUID } from 'node:crypto';
import type { TestPool } from '../stack/test-database.ts';

/** Many vaults and transactions like the first of each; one in a hundred has another status, type or kind, and the wallet `rare`. */
export async function addRows(sql: TestPool, count: number, rare: string): Promise<void> {
  const times = `'created_at', now() - n * interval '1 s', 'updated_at', now() - n * interval '2 s'`;
  await copyFirst(
    sql,
    'vaults',
    `'id', gen_random_uuid(), 'name', 'Vault ' || n, 'contract_address', 'contract ' || n, 'policy_id', 'policy ' || n,
     'type', 'PUBLIC', 'created_by', case n / 3 % 100 when 0 then $2 else 'admin ' || n end,
     'custom_type', case n % 100 when 0 then 'RARE' end, 'status', case n % 100 when 0 then 'ACTIVE' else 'LOCKED' end, ${times}`,
    [count, rare],
  );
  await copyFirst(
    sql,
    'chain_transactions',
    `'id', gen_random_uuid(), 'hash', 'hash ' || n, 'vault_id', (select id from vaults where name = 'Vault ' || n),
     'kind', case n % 100 when 0 then 'refund' else 'anchor' end,
     'state', case n % 100 when 0 then 'failed' else 'final' end,
     'wallet', case n / 3 % 100 when 0 then $2 end, 'required_signers', '{}'::text[], ${times}`,
    [count, rare],
  );
  await sql.run`analyze`;
}

/** Copies the first row of a table $1 times, with other values in some columns. */
async function copyFirst(sql: TestPool, table: string, changed: string, values: readonly unknown[]): Promise<void> {
  const rows = await sql.run<{ names: string }>`select string_agg(column_name, ', ') as names
     from information_schema.columns
     where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`;
  const names = rows[0]?.names ?? '';
  await sql.query(
    `insert into ${table} (${names}) select ${names} from
       (select copy.* from ${table} as one, generate_series(1, $1::int) as n,
          jsonb_populate_record(one, jsonb_build_object(${changed})) as copy
        where one.id = (select id from ${table} order by id limit 1)) as copies`,
    [...values],
  );
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** Keys of rows in the middle of the lists, when there are so many rows. */
export const middleOf = (
  list: 'vaults' | 'transactions',
  count: number,
): Readonly<Record<string, readonly string[]>> => {
  const created = [ago(count / 2), randomUUID()];
  const common = list === 'vaults' ? 'LOCKED' : 'final';
  return {
    createdAt: created,
    updatedAt: [ago(count), randomUUID()],
    status: [common, ...created],
    ...(list === 'vaults' ? { name: ['Vault 5', randomUUID()] } : { kind: ['anchor', ...created] }),
  };
};
