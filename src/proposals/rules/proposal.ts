import { transitions } from '../../platform/states/transitions.ts';

export const proposalTypes = ['ASSET_SALE', 'BUY', 'STAKE', 'LIQUIDATE'] as const;
export type ProposalType = (typeof proposalTypes)[number];

export const proposalStatuses = ['DRAFT', 'ACTIVE', 'PASSED', 'FAILED', 'EXECUTED'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** Why a proposal failed (design D23). `asset_in_another_proposal`: another one over the same asset passed first. */
export const failureReasons = [
  'quorum_not_reached',
  'rejected',
  'tied',
  'draft_expired',
  'cancelled',
  'execution_window_elapsed',
  'execution_failed',
  'asset_in_another_proposal',
  'vault_ending',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** The next status of a proposal. Throws INVALID_TRANSITION. EXECUTED → PASSED reverts an execution after a rollback (design D6). */
export const proposalTransition = transitions<ProposalStatus>(
  'proposal',
  {
    DRAFT: ['ACTIVE', 'FAILED'],
    ACTIVE: ['PASSED', 'FAILED'],
    PASSED: ['EXECUTED', 'FAILED'],
    FAILED: [],
    EXECUTED: [],
  },
  { EXECUTED: ['PASSED'] },
);

/** The action type that requests each proposal type. */
export const actionWords = {
  ASSET_SALE: 'sell_asset',
  BUY: 'buy_asset',
  STAKE: 'stake_asset',
  LIQUIDATE: 'liquidate',
} as const satisfies Record<ProposalType, string>;

const actionTypes = new Map<string, ProposalType>([
  ...proposalTypes.map((type) => [actionWords[type].toUpperCase(), type] as const),
  ...proposalTypes.map((type) => [type, type] as const),
]);

/** Parses an action type or proposal type, in any case (design D27); undefined when it is neither. */
export function parseActionType(text: string): ProposalType | undefined {
  return actionTypes.get(text.toUpperCase().replaceAll(/[-_ ]/g, '_'));
}
