import type { ErrorCode } from '../../platform/errors/errors.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import { DRAFT_SECONDS, type PhaseDurations, planPhases } from './phases.ts';
import type { RequestedEffect } from './requested-effect.ts';
import type { VaultStatus, TerminationReason } from '../../vaults/rules/vault.ts';

/** What decides whether a vault can be governed. */
export interface GovernedVault {
  readonly status: VaultStatus;
  /** Set as soon as the vault starts to end. */
  readonly failedBecause: TerminationReason | null;
  /** Whether its holders can claim, and decide sales, while it ends. */
  readonly claimsOpen: boolean;
}

/** The error code for stakes, proposals, endorsements and executions in a vault; undefined while it allows them (design D23, D31). */
export function governanceRefusal({ status, failedBecause, claimsOpen }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || (failedBecause !== null && !claimsOpen)) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

/**
 * Whether a vault refuses a proposal because it ends: while the claims on it run, its holders can only sell its assets, and take back
 * for a sale those that it has staked elsewhere.
 */
export function isRefusedWhileEnding(
  { claimsOpen }: Pick<GovernedVault, 'claimsOpen'>,
  { type, terms }: Pick<RequestedEffect, 'type' | 'terms'>,
): boolean {
  return claimsOpen && type !== 'ASSET_SALE' && !(type === 'STAKE' && terms.direction === 'back');
}

/** How long stakes that a vote has locked can still be claimed for: 3 days. */
const CLAIM_SECONDS_AFTER_EXECUTION = 3 * 86_400;

/** When the execution phase of a proposal would end whose vote opens at `now`, if that is too late for the claims; null otherwise. */
export function endAfterClaims(durations: PhaseDurations, claimDeadline: Instant | null, now: Instant): Instant | null {
  const { endsAt } = planPhases(now, durations).execution;
  return claimDeadline !== null && secondsAfter(endsAt, CLAIM_SECONDS_AFTER_EXECUTION) > claimDeadline ? endsAt : null;
}

/** How long after the claims have opened a draft may be made at least, and endorsed at its last moment: 4 days. */
const SECONDS_TO_DRAFT = 4 * 86_400;

/**
 * How long claims run at least, so that one sale can be decided meanwhile, also one that takes long to be endorsed. It may be drafted once the
 * `longest` phases of a proposal have passed: so long somebody can reserve all assets, by sales that nobody executes and whose votes have
 * opened before other holders staked.
 */
export function secondsForOneSale(phases: PhaseDurations, longest: PhaseDurations): number {
  const toDraft = Math.max(SECONDS_TO_DRAFT, secondsOf(longest));
  return toDraft + DRAFT_SECONDS + secondsOf(phases) + CLAIM_SECONDS_AFTER_EXECUTION;
}

function secondsOf({ voting, lock, execution }: PhaseDurations): number {
  return voting + lock + execution;
}
