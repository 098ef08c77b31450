import type pg from 'pg';
import type { Statement } from './recorded-statements.ts';

interface RunNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly RunNode[];
}
interface Run {
  readonly 'QUERY PLAN': readonly { readonly Plan: RunNode }[];
}

/** How many rows of tables a statement reads when it is run, those included that it then leaves out. */
export async function rowsRead(sql: Pick<pg.PoolClient, 'query'>, { text, values }: Statement): Promise<number> {
  const { rows } = await sql.query<Run>(`explain (analyze, timing off, format json) ${text}`, [...values]);
  return rows.reduce((sum, row) => sum + row['QUERY PLAN'].reduce((rest, { Plan }) => rest + rowsOf(Plan), 0), 0);
}

function rowsOf(node: RunNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own);
}
