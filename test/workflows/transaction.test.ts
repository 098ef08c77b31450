import { expect, test } from '@jest/globals';
import type { TransactionKind, TransactionState } from '../../src/transactions/rules.ts';
import { wallClock, type Instant, instant } from '../../src/platform/units/time.ts';
import type { TransactionActivities } from '../../src/platform/temporal/activity-types.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { runWorkflow } from '../stack/run-workflow.ts';
import { inState } from '../vault-workflow/run-vault.ts';
import { type Call, observed } from './observed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const begun = wallClock.now();
const inAnHour = instant(begun + HOUR);

interface Begun {
  readonly kind?: TransactionKind;
  readonly expiresAt?: Instant;
  /** Whether its start said what never changes of it. */
  readonly isRead?: true;
  readonly submitTransaction?: TransactionActivities['submitTransaction'];
}

/** Runs the workflow of a transaction that waits for signatures. */
async function runTransaction({ kind = 'add_asset', expiresAt = inAnHour, isRead, submitTransaction }: Begun = {}) {
  const transactionId = crypto.randomUUID();
  let read = { ...inState('awaiting_signatures', expiresAt), kind, isWithdrawn: false };
  const calls: Call[] = [];
  const activities: TransactionActivities = {
    readTransaction: () => Promise.resolve(read),
    submitTransaction: submitTransaction ?? (() => Promise.resolve({ state: read.state, error: null })),
  };
  const workflow = await runWorkflow({
    type: 'transaction',
    workflowId: transactionWorkflowId(transactionId),
    input: { transactionId, clockOffsetMs: 0, ...(isRead ? {} : { signing: { kind, expiresAt } }) },
    activities: observed(activities, (call) => calls.push(call)),
  });
  return {
    ...workflow,
    sent: () => calls.filter(({ name }) => name === 'submitTransaction'),
    /** Its state changes, and the workflow is told so. */
    async becomes(state: TransactionState, signal: 'witnessed' | 'transactionChanged' = 'transactionChanged') {
      read = { ...read, state };
      await workflow.signal(signal);
    },
    async withdraw() {
      read = { ...read, isWithdrawn: true };
      await workflow.signal('transactionChanged');
    },
    result: () => workflow.handle.result() as Promise<string>,
  };
}

test('a transaction is sent once when it is signed, and waited for until it is final, also through a rollback', async () => {
  await using transaction = await runTransaction();
  await transaction.shows(
    `Waiting for the signatures of the wallet.\n\nUntil **${new Date(inAnHour).toISOString()}**.`,
  );
  await transaction.moveTo(HOUR - MINUTE);
  expect(transaction.sent()).toEqual([]);
  await transaction.becomes('pending', 'witnessed');
  await transaction.shows('Sent. Waiting until it is final on the ledger.');
  expect(await transaction.phase()).toEqual({ name: 'ledger', endsAt: inAnHour });
  for (const state of ['submitted', 'confirmed', 'submitted', 'confirmed'] as const) await transaction.becomes(state);
  await transaction.shows('Sent. Waiting until it is final on the ledger.');
  await transaction.becomes('final');
  expect(await transaction.result()).toBe('final');
  expect(await transaction.details()).toBe('It is final on the ledger.');
  expect(transaction.sent()).toHaveLength(1);
});

test.each([
  ['expired', 'It did not reach a block in time.'],
  ['failed', 'It failed. The ledger will never accept it.'],
] as const)('a transaction that was sent ends as %s when it can no longer land', async (state, details) => {
  await using transaction = await runTransaction({ isRead: true });
  await transaction.shows('Waiting for the signatures of the wallet.');
  expect(await transaction.phase()).toEqual({ name: 'signing', endsAt: inAnHour });
  await transaction.becomes('pending', 'witnessed');
  await transaction.shows('Sent.');
  await transaction.becomes(state);
  expect(await transaction.result()).toBe(state);
  expect(await transaction.details()).toBe(details);
});

test.each([
  ['add_asset', 'Waiting for the signatures of the wallet.', 'It was not signed in time.'],
  ['execute', 'Waiting for all required signatures, and then for the execution.', 'It was not executed in time.'],
] as const)('%s that is not signed in time waits until it can no longer land', async (kind, waiting, late) => {
  await using transaction = await runTransaction({ kind });
  await transaction.shows(waiting);
  await transaction.moveTo(HOUR + MINUTE);
  await transaction.shows(`${late} Waiting until it can no longer reach a block.`);
  expect(await transaction.phase()).toEqual({ name: 'expiring', endsAt: undefined });
  await transaction.becomes('expired');
  expect(await transaction.result()).toBe('expired');
});

test('a transaction that is signed after its time, while it can still be confirmed, is sent', async () => {
  await using transaction = await runTransaction({ expiresAt: instant(begun - HOUR) });
  await transaction.shows('It was not signed in time.');
  expect(transaction.sent()).toEqual([]);
  await transaction.becomes('pending', 'witnessed');
  await transaction.shows('Sent.');
  await transaction.becomes('final');
  expect(await transaction.result()).toBe('final');
});

test('a transaction that was withdrawn shows so and is waited for until it can no longer be confirmed', async () => {
  await using transaction = await runTransaction();
  await transaction.shows('Waiting for the signatures of the wallet.');
  await transaction.withdraw();
  await transaction.shows('Withdrawn. It accepts no signatures. Waiting until it can no longer reach a block.');
  await transaction.moveTo(HOUR + MINUTE);
  await transaction.becomes('expired');
  expect(await transaction.result()).toBe('expired');
});

test('a ledger that does not respond is asked again until the transaction is sent', async () => {
  let attempts = 0;
  await using transaction = await runTransaction({
    submitTransaction: () =>
      (attempts += 1) > 2
        ? Promise.resolve({ state: 'submitted', error: null })
        : Promise.reject(new Error('the ledger does not respond')),
  });
  await transaction.shows('Waiting for the signatures of the wallet.');
  await transaction.becomes('pending', 'witnessed');
  await transaction.shows('Signed. Sending it to the ledger.');
  await transaction.shows('Sent.');
  expect([attempts, transaction.sent().length]).toEqual([3, 1]);
});
