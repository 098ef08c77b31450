import { expect, test } from '@jest/globals';
import type { WorkflowMessage } from './messages.ts';
import { instant } from '../units/time.ts';
import { searchAttributes } from './search-attributes.ts';
import { startOptions } from './workflow-starts.ts';

type Start = Extract<WorkflowMessage, { kind: 'start' }>;

test('a start of a workflow that only a newer release knows is left to it', () => {
  const start = (message: unknown) =>
    startOptions({ taskQueue: 'queue', network: 'preview' }, 'vault-1', message as Start, {
      now: instant(0),
      offsetMs: 0,
    });
  expect(start({ kind: 'start', workflow: 'vault', vaultId: '1' }).args).toEqual([{ vaultId: '1', clockOffsetMs: 0 }]);
  expect(() => start({ kind: 'start', workflow: 'ofTheNextRelease', id: '1' })).toThrow('ofTheNextRelease');
  expect(() => start({ kind: 'ofTheNextRelease', id: '1' })).toThrow('a newer release');
});

test('the workflow of a transaction that waits for signatures is found by its phase and says until when before its first task', () => {
  const signing = { kind: 'invest', expiresAt: instant(1_000) } as const;
  const message = { kind: 'start', workflow: 'transaction', transactionId: '1', vaultId: '2', signing } as const;
  const start = (now: number) =>
    startOptions({ taskQueue: 'q', network: 'preview' }, 'tx-1', message, { now: instant(now), offsetMs: 5 });
  const { args, typedSearchAttributes, ...texts } = start(0);
  expect(texts).toMatchObject({
    staticSummary: 'invest',
    staticDetails: 'Signatures are accepted until **1970-01-01T00:00:01.000Z**.',
  });
  expect(args).toEqual([{ transactionId: '1', clockOffsetMs: 5, signing }]);
  expect([0, 999, 1_001, -10_000_000].map((now) => start(now).startDelay)).toEqual([1_000, 1, 0, 60_000]);
  expect(typedSearchAttributes).toEqual([
    { key: searchAttributes.network, value: 'preview' },
    { key: searchAttributes.vaultId, value: '2' },
    { key: searchAttributes.phase, value: 'signing' },
    { key: searchAttributes.phaseEndsAt, value: new Date(1_000) },
  ]);
});
