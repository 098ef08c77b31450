import type { FieldProblem } from '../../platform/error-registry.ts';
import { ServiceError } from '../../platform/errors.ts';
import { transitions } from '../../platform/states.ts';
import { type Instant, secondsAfter } from '../../platform/units/time.ts';
import {
  type BaseUnits,
  type BasisPoints,
  FULL_SHARE,
  printPercentage,
  reachesShare,
} from '../../platform/units/money.ts';
import type { ReservingProposal } from './affected-assets.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';

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

/** The next status of a proposal. EXECUTED → PASSED reverts an execution after a rollback (design D6). */
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

/**
 * Those of `earlier` proposals, in the order in which their votes end, on which it depends who gets the assets: the ones over one of them,
 * and the ones before these over an asset of theirs.
 */
export function conflictingProposals<Earlier extends Pick<ReservingProposal, 'assetIds'>>(
  assetIds: readonly string[],
  earlier: readonly Earlier[],
): Earlier[] {
  const contended = new Set(assetIds);
  const latestFirst = earlier.toReversed().filter(({ assetIds: held }) => {
    const contends = held.some((id) => contended.has(id));
    if (contends) for (const id of held) contended.add(id);
    return contends;
  });
  return latestFirst.reverse();
}

/** Thresholds that a proposal sets itself; the vault's apply where it sets none. */
export type RequestedThresholds = { readonly [Name in keyof GovernanceThresholds]?: BasisPoints | undefined };

const names = ['creation', 'start', 'vote', 'execution', 'cosigning'] as const;

/** All problems of a proposal's thresholds: above 100 %, or lower than the vault's (design D22). */
export function thresholdProblems(
  vault: GovernanceThresholds,
  requested: RequestedThresholds,
): readonly FieldProblem[] {
  return names.flatMap((name): FieldProblem[] => {
    const share = requested[name];
    const field = `governance_thresholds.${name}_threshold`;
    if (share === undefined) return [];
    if (share > FULL_SHARE) return [{ code: 'INVALID_REQUEST', message: 'Must be at most 100 %.', field }];
    if (share >= vault[name]) return [];
    const message = `The vault requires at least ${printPercentage(vault[name])} %.`;
    return [{ code: 'THRESHOLD_BELOW_VAULT', message, field }];
  });
}

/** The thresholds that apply to a proposal. Throws INVALID_REQUEST or THRESHOLD_BELOW_VAULT with the fields. */
export function proposalThresholds(vault: GovernanceThresholds, requested: RequestedThresholds): GovernanceThresholds {
  const errors = thresholdProblems(vault, requested);
  if (errors.length > 0) {
    const allTooLow = errors.every(({ code }) => code === 'THRESHOLD_BELOW_VAULT');
    throw new ServiceError(allTooLow ? 'THRESHOLD_BELOW_VAULT' : 'INVALID_REQUEST', { errors });
  }
  return {
    creation: requested.creation ?? vault.creation,
    start: requested.start ?? vault.start,
    vote: requested.vote ?? vault.vote,
    execution: requested.execution ?? vault.execution,
    cosigning: requested.cosigning ?? vault.cosigning,
  };
}

/** Staked power, in base units, to be compared with a share of the supply that governs the vault. */
export interface SupplyShare {
  readonly power: BaseUnits;
  readonly supply: BaseUnits;
  readonly threshold: BasisPoints;
}

/** Throws CREATION_THRESHOLD_NOT_MET unless the proposer's stakes reach the creation threshold (design D22). */
export function requireCreationThreshold({ power, supply, threshold }: SupplyShare): void {
  if (reachesShare(power, threshold, supply)) return;
  throw new ServiceError('CREATION_THRESHOLD_NOT_MET', {
    required: `${printPercentage(threshold)} %`,
    staked: String(power),
    supply: String(supply),
  });
}

/** Whether the stakes of proposer and endorsers open voting. A start threshold of 0 opens it at once (design D22). */
export function startReached({ power, supply, threshold }: SupplyShare): boolean {
  return reachesShare(power, threshold, supply);
}

/** What costs a wallet nothing and the operator an anchor, or the transaction that creates a vault. */
export type AnchoredActionKind = 'vote_change' | 'endorsement' | 'proposal' | 'vault_change' | 'vault_creation';

const DAY_SECONDS = 86_400;

/** Anchored actions since then count for the limit of a wallet at `now`. */
export function anchoredActionsCountSince(now: Instant): Instant {
  return secondsAfter(now, -DAY_SECONDS);
}

interface AnchoredActions {
  readonly kind: AnchoredActionKind;
  readonly limit: number;
  /** When the latest `limit` ones that count already were, by wallet; the latest first. */
  readonly latest: ReadonlyMap<string, readonly Instant[]>;
  readonly now: Instant;
}

/** The refusal of each action that its wallet may not do after those before it, null for the others; `wallets` says who does each. */
export function anchoredActionRefusals(
  wallets: readonly string[],
  { kind, limit, latest, now }: AnchoredActions,
): (ServiceError | null)[] {
  const done = new Map<string, number>();
  return wallets.map((wallet) => {
    const earlier = latest.get(wallet) ?? [];
    const count = done.get(wallet) ?? 0;
    done.set(wallet, count + 1);
    return earlier.length + count < limit ? null : refusal({ wallet, kind, limit }, earlier.at(-1) ?? now, now);
  });
}

/** `limitingAt` is the action after whose end another one is possible. */
function refusal(
  { wallet, kind, limit }: { readonly wallet: string; readonly kind: AnchoredActionKind; readonly limit: number },
  limitingAt: Instant,
  now: Instant,
): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((secondsAfter(limitingAt, DAY_SECONDS) - now) / 1000));
  return new ServiceError('FREE_ACTIONS_USED_UP', { wallet, action: kind, limit, retryAfterSeconds });
}
