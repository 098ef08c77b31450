import type { TestStack } from './test-stack.ts';
import { until } from './until.ts';

/** Holds a lock, so that whoever needs it waits in the middle of a database transaction. */
export async function holdLock({ sql }: Pick<TestStack, 'sql'>, lock: string, parameters: readonly string[] = []) {
  const session = await sql.connect();
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  await session.query('begin');
  await session.query(lock, [...parameters]);
  return {
    async reached() {
      const blocked = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
      const isBlocked = async () => (await sql.query(blocked, [rows[0]?.pid])).rows.length > 0;
      await until(isBlocked, { what: 'somebody to need the lock' });
    },
    async [Symbol.asyncDispose]() {
      await session.query('rollback');
      session.release();
    },
  };
}

/** Runs an action while a lock is held. */
export async function holdLocks<Result>(
  stack: Pick<TestStack, 'sql'>,
  lock: string,
  act: (held: Awaited<ReturnType<typeof holdLock>>) => Promise<Result>,
): Promise<Result> {
  await using held = await holdLock(stack, lock);
  return await act(held);
}
