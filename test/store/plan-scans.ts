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

/** These stay small, however long the service runs: one row for the platform, a lane, a followed block, a hold or a flag. */
const small = [
  ...['platform', 'clock_offset', 'anchor_lanes', 'blocks', 'holds', 'pauses', 'feature_flags', 'quarantine'],
  ...['ledger_hold', 'address_scan'],
  // Those of 90 days.
  'reconciliations',
];

/** Indexes that hold only open rows, so that reading a whole one is cheap. */
const underWay = [
  'chain_transactions_open',
  'open_transactions_by_vault',
  'anchor_batches_unlanded',
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
    const scans: Scan[] = [];
    for (const [text, values] of new Map(statements.map((one) => [one.text, one.values]))) {
      for (const plan of await plansOf(client, { text, values }))
        for (const { table, node } of scansIn(plan)) if (!small.includes(table)) scans.push({ table, node, text });
    }
    return scans;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The tables that the statements read. */
export async function tablesOf(sql: pg.Pool, statements: readonly Statement[]): Promise<ReadonlySet<string>> {
  const nodes = [];
  for (const [text, values] of new Map(statements.map((one) => [one.text, one.values])))
    nodes.push(...(await plansOf(sql, { text, values })).flatMap(nodesOf));
  return new Set(nodes.flatMap((node) => node['Relation Name'] ?? []));
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
