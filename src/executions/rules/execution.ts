import type { Price } from '../../prices/rules/valuation.ts';
import type { AssetType } from '../../assets/rules/asset.ts';
import { transitions } from '../../platform/states/transitions.ts';

export const executionStatuses = ['FROZEN', 'SENT', 'EXECUTED', 'VOIDED', 'FAILED'] as const;
/**
 * FROZEN collects signatures, SENT was submitted, EXECUTED is in a block, VOIDED was superseded or expired before it was
 * submitted, FAILED can no longer enter a block.
 */
export type ExecutionStatus = (typeof executionStatuses)[number];

/**
 * The next status of an execution. Throws INVALID_TRANSITION. A rollback takes EXECUTED back to SENT, or to FAILED
 * when another execution of the proposal was submitted meanwhile; FAILED → EXECUTED is one that lands after it was given up.
 */
export const executionTransition = transitions<ExecutionStatus>(
  'execution',
  { FROZEN: ['SENT', 'VOIDED'], SENT: ['EXECUTED', 'FAILED'], EXECUTED: [], VOIDED: [], FAILED: [] },
  { EXECUTED: ['SENT', 'FAILED'], FAILED: ['EXECUTED'] },
);

/** Type and price of a bought asset. */
export interface BoughtAsset {
  readonly type: AssetType;
  readonly price: Price;
}
