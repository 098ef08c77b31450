import type { TestStack } from './test-stack.ts';
import { until } from './until.ts';

/** The height of the newest block that the worker has followed; 0 before the first. */
export async function followedHeight({ sql }: Pick<TestStack, 'sql'>): Promise<number> {
  return Number((await sql.run<{ height: string }>`select coalesce(max(height), 0) as height from blocks`)[0]?.height);
}

/** Waits until the worker has followed a block of this height. */
export async function untilFollowed(stack: Pick<TestStack, 'sql'>, height: number): Promise<void> {
  await until(async () => (await followedHeight(stack)) >= height, { what: `block ${height} to be followed` });
}
