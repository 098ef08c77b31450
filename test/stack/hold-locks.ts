import type { TestStack } from './test-stack.ts';

/** Does something while a transaction of Postgres has taken the locks that `statement` takes; whoever needs them waits meanwhile. */
export async function holdLocks<Result>(
  { sql }: Pick<TestStack, 'sql'>,
  statement: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const holder = await sql.connect();
  try {
    await holder.query('begin');
    await holder.query(statement);
    return await act();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}
