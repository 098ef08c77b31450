import type pg from 'pg';

/** How rows of a table are made from one that the service has made. */
export interface Copies {
  readonly table: string;
  /** Which rows are copied, as a condition on `one`; $2 is the vault. */
  readonly of: string;
  /** What a row is copied for: relations with the numbers that `set` uses; $1 is the number of vaults. */
  readonly per: string;
  /** Postgres expressions by column; the other columns stay as they are. */
  readonly set: Readonly<Record<string, string>>;
}

/** Inserts copies of rows by one statement for each of these, and builds the indexes afterwards; returns how many rows were made by table. */
export async function copyRows(
  client: pg.PoolClient,
  copies: readonly Copies[],
  values: readonly [count: number, vaultId: string],
): Promise<ReadonlyMap<string, number>> {
  const made = new Map<string, number>();
  for (const [table, ofTable] of Map.groupBy(copies, (one) => one.table)) {
    const indexes = await dropIndexes(client, table);
    for (const one of ofTable) made.set(table, (made.get(table) ?? 0) + (await insertCopies(client, one, values)));
    for (const index of indexes) await client.query(index);
  }
  return made;
}

async function insertCopies(
  client: pg.PoolClient,
  { table, of, per, set }: Copies,
  parameters: readonly unknown[],
): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => set[name] ?? `one.${name}`);
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
     from ${per} cross join ${table} as one where ${of}`,
    [...parameters],
  );
  return rowCount ?? 0;
}

/** Drops the indexes of a table that belong to no constraint; returns the statements that create them. */
async function dropIndexes(client: pg.PoolClient, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}
