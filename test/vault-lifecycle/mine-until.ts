import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** Makes blocks until what needs them has happened. */
export async function mineUntil<Result>(stack: TestStack, work: Promise<Result>): Promise<Result> {
  let settled = false;
  const result = work.finally(() => {
    settled = true;
  });
  const made = until(() => (settled ? true : stack.ledger.mine().then(() => false)), {
    what: 'the blocks to be enough',
    deadlineMs: 150_000,
  });
  await Promise.all([made, result]);
  return result;
}
