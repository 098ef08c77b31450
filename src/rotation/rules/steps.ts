import type { StepStatus } from '../../termination/rules/steps.ts';
import { type TransactionState, visibleState } from '../../transactions/rules/transaction-state.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { Rotation } from './rotation.ts';

/** The steps of a rotation, in their order. */
export const rotationSteps = ['notice', 'end_executions', 'move_outputs'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** A step of a rotation, as readers see it. */
export interface RotationStepView {
  readonly name: RotationStep;
  readonly status: StepStatus;
  /** Of its newest transaction; null when it has none. */
  readonly transactionHash: string | null;
  /** How many of its transactions are final. */
  readonly finalTransactions: number;
  /** When it was done, or its newest transaction changed; null before. */
  readonly at: Instant | null;
}

/** A transaction that moves outputs. */
export interface RotationTransaction {
  readonly hash: string;
  readonly state: TransactionState;
  /** The last instant for signatures. */
  readonly expiresAt: Instant;
  readonly at: Instant;
}

type Facts = Pick<Rotation, 'isUrgent' | 'begunAt' | 'changedAt' | 'finishedAt' | 'cancelledAt'>;

/** The steps of a rotation from what has happened; `transactions` are those that moved outputs since it changed the custody, oldest first. */
export function viewRotationSteps(
  rotation: Facts,
  transactions: readonly RotationTransaction[],
  now: Instant,
): readonly RotationStepView[] {
  const { isUrgent, begunAt, changedAt, finishedAt, cancelledAt } = rotation;
  const newest = transactions.at(-1);
  const step = (name: RotationStep, since: Instant | null | 'first', doneAt: Instant | null): RotationStepView => {
    const status = doneAt !== null ? 'done' : since === null || cancelledAt !== null ? 'pending' : 'running';
    return { name, status, transactionHash: null, finalTransactions: 0, at: doneAt };
  };
  const notice = step('notice', 'first', begunAt);
  const moving = step('move_outputs', changedAt, finishedAt);
  const isWaiting =
    moving.status === 'running' && newest !== undefined && visibleState(newest, now) === 'awaiting_signatures';
  return [
    isUrgent ? { ...notice, status: 'skipped' } : notice,
    step('end_executions', begunAt, changedAt),
    {
      ...moving,
      status: isWaiting ? 'waiting_for_cosigners' : moving.status,
      transactionHash: newest?.hash ?? null,
      finalTransactions: transactions.filter(({ state }) => state === 'final').length,
      at: finishedAt ?? newest?.at ?? null,
    },
  ];
}
