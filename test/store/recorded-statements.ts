import { jest } from '@jest/globals';
import pg from 'pg';
import type * as Correlation from '../../src/observability/correlation.ts';
import { nativeModule } from '../stack/native-module.ts';

/** A statement that was sent to Postgres, with the parameters of one call. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

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
  readonly Plans?: readonly PlanNode[];
}
interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
}

/** These stay small, however long the service runs: one row for the platform, a lane, a followed block or a hold. */
const small = ['platform', 'clock_offset', 'anchor_lanes', 'blocks', 'holds', 'pauses'];

/** Indexes that hold only open rows, so that reading a whole one is cheap. */
const underWay = [
  'chain_transactions_open',
  'anchor_batches_unlanded',
  'proposals_under_way',
  'workflow_notices_unsent',
  'outbox_unsequenced',
  'audit_log_unsequenced',
];

/** Records every statement that this process sends from now on and that reads or writes rows. */
export function recordStatements(): { statements(ofRequest?: string): Statement[] } & Disposable {
  const sent: (Statement & { readonly correlationId: string | undefined })[] = [];
  // A test and the service that it calls each have their own.
  const asked = [pg, nativeModule('pg') as typeof pg].map(({ Client: { prototype } }) => {
    const query = Reflect.get(prototype, 'query') as (...args: unknown[]) => unknown;
    return jest.spyOn(prototype, 'query').mockImplementation(function (this: unknown, ...args: unknown[]) {
      const { text, values } = statementOf(args);
      if (/^\s*(select|insert|update|delete|with)\b/i.test(text))
        sent.push({ text, values, correlationId: correlationId() });
      return query.apply(this, args);
    });
  });
  return {
    /** Those that a request sent, by its correlation id, or all. */
    statements: (ofRequest) => sent.filter((one) => ofRequest === undefined || one.correlationId === ofRequest),
    [Symbol.dispose]: () => {
      for (const spy of asked) spy.mockRestore();
    },
  };
}

const { correlationId } = nativeModule('./src/observability/correlation.ts') as typeof Correlation;

/** `query` accepts a text with its values, or both and a name in one object. */
function statementOf([query, values]: readonly unknown[]): Statement {
  const { text = '', values: named } = (typeof query === 'string' ? { text: query } : query) as Partial<Statement>;
  const given = named ?? values;
  return { text, values: Array.isArray(given) ? given : [] };
}

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
      for (const node of await planOf(client, { text, values })) {
        const table = node['Relation Name'] ?? '';
        if (readsAll(node) && !small.includes(table)) scans.push({ table, node: node['Node Type'], text });
      }
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
    nodes.push(...(await planOf(sql, { text, values })));
  return new Set(nodes.flatMap((node) => node['Relation Name'] ?? []));
}

async function planOf(sql: Pick<pg.PoolClient, 'query'>, { text, values }: Statement): Promise<PlanNode[]> {
  const { rows } = await sql.query<Explained>(`explain (format json) ${text}`, [...values]);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
}

function readsAll(node: PlanNode): boolean {
  if (node['Node Type'] === 'Seq Scan') return true;
  const index = node['Index Name'];
  return index !== undefined && node['Index Cond'] === undefined && !underWay.includes(index);
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
