import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** Mines blocks until `operation` has ended; returns its result. */
export async function mineUntil<Result>(stack: TestStack, operation: Promise<Result>): Promise<Result> {
  let settled = false;
  const result = operation.finally(() => {
    settled = true;
  });
  const mining = until(() => (settled ? true : stack.ledger.mine().then(() => false)), {
    what: 'the operation that needs blocks',
    deadlineMs: 150_000,
  });
  await Promise.all([mining, result]);
  return result;
}
