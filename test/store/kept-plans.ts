import type pg from 'pg';
import type { Statement } from './recorded-statements.ts';

/** Postgres plans each of the first five calls for its values, and then keeps a plan for any values if it looks as good. */
const CALLS = 7;

/** The prepared statements that Postgres plans again at each call: a wide one takes longer to plan than to run. */
export async function plannedAnew(sql: pg.Pool, statements: readonly Statement[]): Promise<string[]> {
  const client = await sql.connect();
  try {
    const texts = new Map(statements.map(({ text, values }) => [text, values]));
    for (const [number, [text, values]] of [...texts].entries())
      for (let called = 0; called < CALLS; called += 1)
        await client.query({ name: `read_${number}`, text, values: [...values] });
    const { rows } = await client.query<{ statement: string }>(
      'select statement from pg_prepared_statements where generic_plans = 0',
    );
    return rows.map(({ statement }) => statement);
  } finally {
    client.release(true);
  }
}
