import type { TestStack } from './test-stack.ts';

/** Runs an action while a Postgres transaction holds the locks of `statement`, so that everything that needs them waits. */
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
