import type pg from 'pg';
import type { Statement } from './recorded-statements.ts';

/** A full scan of a table by a statement. */
export interface Scan {
  readonly table: string;
  readonly node: string;
  readonly text: string;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}
interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
}

/** These stay small, however long the service runs: one row for the platform, an anchor chain, a followed block, a hold or a flag. */
const small = [
  ...['platform', 'clock_offset', 'anchor_chains', 'blocks', 'holds', 'pauses', 'feature_flags', 'quarantine'],
  ...['ledger_hold', 'address_scan'],
  // Those of 90 days.
  'reconciliations',
  // One row for each process, and for each migration or change of the workflows.
  ...['worker_presence', 'kysely_migration'],
];

/** Tells the planner that each other table has a million rows, and that ten of them have the same id of a vault or another row. */
const manyRows = [
  `select pg_restore_relation_stats('schemaname', schemaname::text, 'relname', tablename::text,
    'relpages', (pg_relation_size(format('%I.%I', schemaname, tablename)) / 8192)::int, 'reltuples', 1000000::real)
   from pg_tables where schemaname = current_schema() and tablename <> all ($1)`,
  // The few values that there are would stay the most common ones.
  `select pg_clear_attribute_stats(table_schema::text, table_name::text, column_name::text, false)
   from information_schema.columns join pg_tables on tablename = table_name and schemaname = table_schema
   where table_schema = current_schema() and table_name <> all ($1) and data_type = 'uuid'`,
  `select pg_restore_attribute_stats('schemaname', table_schema::text, 'relname', table_name::text, 'attname', column_name::text,
    'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -0.1::real)
   from information_schema.columns join pg_tables on tablename = table_name and schemaname = table_schema
   where table_schema = current_schema() and table_name <> all ($1) and data_type = 'uuid'`,
  // An index of what has been confirmed is one of almost all transactions.
  `select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'chain_transactions', 'attname', 'state',
    'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 7::real,
    'most_common_vals', '{final}'::text, 'most_common_freqs', '{0.98}'::real[]) from unnest($1::text[]) limit 1`,
];

/** The scan of unsolicited outputs asks the ledger for the addresses of every vault, in pages. */
const visitsAllVaults = /vaults\.terminated_at is null\s+or vaults\.terminated_at >/;
/** The development clock stops at whatever is due next. */
const isOfDevelopment = /\bas agenda where at\b/;
/** Statements that may read whole tables. */
export const mayScan = ({ text }: Pick<Scan, 'text'>) => visitsAllVaults.test(text) || isOfDevelopment.test(text);

/** Indexes that hold only open rows, so that reading a whole one is cheap. */
const underWay = [
  'chain_transactions_open',
  'open_transactions_by_vault',
  'anchor_batches_unconfirmed',
  'proposals_under_way',
  'one_open_rotation',
  'workflow_notices_unsent',
  'outbox_unsequenced',
  'audit_log_unsequenced',
  'vaults_to_erase',
  // A refresh values every vault that has not ended, in pages.
  'vaults_not_ended',
];

/** Nodes that pass on each row of their first part at once: under a limit, no more of it is read than the limit needs. */
const passing = ['Limit', 'Subquery Scan', 'WindowAgg', 'LockRows', 'Nested Loop', 'Result', 'Append', 'Merge Append'];

/** The statements that would scan a growing table for lack of an index; `without` removes one index first. */
export async function scansOf(sql: pg.Pool, statements: readonly Statement[], without?: string): Promise<Scan[]> {
  const client = await sql.connect();
  try {
    await client.query('begin');
    // Makes Postgres plan as for large tables; it would scan and join these few rows in memory.
    for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material'])
      await client.query(`set local enable_${way} = off`);
    if (without !== undefined) await client.query(`drop index ${without}`);
    const distinct = [...new Map(statements.map((one) => [one.text, one]))].map(([, one]) => one);
    const found = await scansOfEach(client, distinct);
    if (found.length === 0) return [];
    // Of few rows all may be read for what an index has, too. What lacks an index scans its table whatever its size.
    for (const statistics of manyRows) await client.query(statistics, [small]);
    const suspects = distinct.filter(({ text }) => found.some((scan) => scan.text === text));
    const still = await scansOfEach(client, suspects);
    return found.filter(({ table, text }) => still.some((scan) => scan.table === table && scan.text === text));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function scansOfEach(client: pg.PoolClient, statements: readonly Statement[]): Promise<Scan[]> {
  const scans: Scan[] = [];
  for (const { text, values } of statements) {
    for (const plan of await plansOf(client, { text, values }))
      for (const { table, node } of scansIn(plan)) if (!small.includes(table)) scans.push({ table, node, text });
  }
  return scans;
}

async function plansOf(sql: Pick<pg.PoolClient, 'query'>, { text, values }: Statement): Promise<PlanNode[]> {
  const { rows } = await sql.query<Explained>(`explain (format json) ${text}`, [...values]);
  return rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan));
}

/** The parts of a plan that read a whole table, or a whole index; not those that stop once a page is full. */
function scansIn(node: PlanNode, isPage = false): Omit<Scan, 'text'>[] {
  const pages = node['Node Type'] === 'Limit' || (isPage && passing.includes(node['Node Type']));
  const parts = node.Plans ?? [];
  const below = parts.flatMap((part, position) => scansIn(part, pages && (position === 0 || isUnion(node))));
  const table = node['Relation Name'];
  if (table === undefined || !readsAll(node) || (isPage && node.Filter === undefined)) return below;
  return [{ table, node: node['Node Type'] }, ...below];
}

const isUnion = (node: PlanNode) => /Append/.test(node['Node Type']);

function readsAll(node: PlanNode): boolean {
  if (node['Node Type'] === 'Seq Scan') return true;
  const indexes = node['Node Type'] === 'Bitmap Heap Scan' ? nodesOf(node) : [node];
  return indexes.some((one) => {
    const index = one['Index Name'];
    return index !== undefined && one['Index Cond'] === undefined && !underWay.includes(index);
  });
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
