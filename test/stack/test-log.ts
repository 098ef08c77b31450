import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { sharedStack } from './shared-stack.ts';

/** Where a service in the test's own process logs to: its lines, and a file of the run that is searched for secrets at its end. */
export function testLog(service: string) {
  const { testPath = '' } = expect.getState();
  const test = testPath.split('/').slice(-2).join('-');
  const file = join(sharedStack().folder, 'logs', `${test}-${service}.log`);
  const lines: string[] = [];
  return {
    lines,
    write(line: string) {
      lines.push(line);
      appendFileSync(file, line);
    },
  };
}
