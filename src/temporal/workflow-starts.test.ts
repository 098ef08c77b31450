import { expect, test } from '@jest/globals';
import type { WorkflowMessage } from './messages.ts';
import { startOptions } from './workflow-starts.ts';

type Start = Extract<WorkflowMessage, { kind: 'start' }>;

test('a start of a workflow that only a newer release knows is left to it', () => {
  const start = (message: unknown) =>
    startOptions({ taskQueue: 'queue', network: 'preview' }, 'vault-1', message as Start, 0);
  expect(start({ kind: 'start', workflow: 'vault', vaultId: '1' }).args).toEqual([{ vaultId: '1', clockOffsetMs: 0 }]);
  expect(() => start({ kind: 'start', workflow: 'ofTheNextRelease', id: '1' })).toThrow('ofTheNextRelease');
  expect(() => start({ kind: 'ofTheNextRelease', id: '1' })).toThrow('a newer release');
});
