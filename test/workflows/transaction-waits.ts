import type { TransactionState } from '../../src/transactions/rules.ts';
import type { Instant } from '../../src/platform/units/time.ts';
import type { TransactionInput } from '../../src/platform/temporal/messages.ts';
import type { TransactionActivities } from '../../src/platform/temporal/activity-types.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { inState } from '../vault-workflow/run-vault.ts';
import { anHourAgo, CLOCK_OFFSET_MS, inAnHour, succeedsWhen, type Wait } from './waits.ts';

const transactionId = '00000000-0000-4000-8000-000000000003';

/** A transaction in one state until the wait is over, then in another. */
function states(before: TransactionState, after: TransactionState, expiresAt: Instant = inAnHour) {
  return (isOver: () => boolean) =>
    ({
      readTransaction: () => Promise.resolve(inState(isOver() ? after : before, expiresAt)),
      submitTransaction: () => Promise.resolve({ state: 'submitted', error: null }),
    }) satisfies TransactionActivities;
}

const input: TransactionInput = {
  transactionId,
  clockOffsetMs: CLOCK_OFFSET_MS,
  signing: { kind: 'add_asset', expiresAt: inAnHour },
};
const transaction = {
  type: 'transaction',
  workflowId: transactionWorkflowId(transactionId),
  input,
  signal: 'transactionChanged',
} as const;

export const transactionWaits = {
  'a transaction that waits for its signatures': {
    ...transaction,
    signal: 'witnessed',
    activities: states('awaiting_signatures', 'pending'),
    waiting: 'Waiting for the signatures of the wallet.',
    goneOn: { details: 'Sent. Waiting until it is final on the ledger.' },
  },
  'a transaction that was signed too late': {
    ...transaction,
    input: { ...input, signing: { kind: 'add_asset', expiresAt: anHourAgo } } as TransactionInput,
    activities: states('awaiting_signatures', 'expired', anHourAgo),
    waiting: 'It was not signed in time.',
    goneOn: { details: 'It did not reach a block in time.' },
  },
  'a transaction that cannot be sent': {
    ...transaction,
    activities: (isOver) => ({
      ...states('pending', 'submitted')(isOver),
      submitTransaction: succeedsWhen(isOver),
    }),
    waiting: 'Signed. Sending it to the ledger.',
    goneOn: { details: 'Sent. Waiting until it is final on the ledger.' },
    isTrying: true,
  },
  'a transaction that waits for the ledger': {
    ...transaction,
    activities: states('submitted', 'final'),
    waiting: 'Sent. Waiting until it is final on the ledger.',
    goneOn: { details: 'It is final on the ledger.' },
  },
} as const satisfies Readonly<Record<string, Wait>>;
