import { afterAll, beforeAll } from '@jest/globals';
import { type StackOptions, testStack, type TestStack } from './test-stack.ts';

/** One stack for those tests of a file that each use vaults and wallets of their own; it ends with the file. */
export function fileStack(options: StackOptions = {}): () => TestStack {
  let started: TestStack | undefined;
  beforeAll(async () => {
    started = await testStack(options);
  });
  afterAll(async () => {
    await started?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!started) throw new Error('the stack of this file has not started');
    return started;
  };
}
