import { transitions } from '../transitions.ts';

export const executionStatuses = ['FROZEN', 'SENT', 'EXECUTED', 'VOIDED', 'FAILED'] as const;
/** FROZEN collects signatures, SENT can land, EXECUTED has landed, VOIDED gave way unsent, FAILED can never land any more. */
export type ExecutionStatus = (typeof executionStatuses)[number];

/** The next status of an execution; throws INVALID_TRANSITION. EXECUTED → SENT undoes one that was rolled back. */
export const executionTransition = transitions<ExecutionStatus>(
  'execution',
  { FROZEN: ['SENT', 'VOIDED'], SENT: ['EXECUTED', 'FAILED'], EXECUTED: [], VOIDED: [], FAILED: [] },
  { EXECUTED: ['SENT'] },
);
