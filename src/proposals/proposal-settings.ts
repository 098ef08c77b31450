import { paymentKeyHashOf } from '../cardano/scripts/address.ts';
import { ServiceError } from '../platform/errors.ts';
import { cosignersAfterVote, requiredCosigners } from '../executions/rules/cosigners.ts';
import { defaultPhaseDurations, type PhaseDurations, durationProblems, shorterPhaseProblems } from './rules/phases.ts';
import type { DurationBounds } from '../platform/units/time.ts';
import type { BasisPoints } from '../platform/units/money.ts';
import { governingSupplyOf, stakersAbove, votersAbove } from '../staking/queries/vault-stakes.ts';
import { governanceSettings } from './queries/anchored-actions.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Proposal } from './queries/proposals.ts';

import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';

/**
 * The phase durations of a proposal in seconds: its own, else the vault's, else the defaults. Throws INVALID_REQUEST, and
 * THRESHOLD_BELOW_VAULT for phases that are shorter than the vault's own.
 */
export function phaseDurations(
  vault: Vault,
  requested: Partial<PhaseDurations>,
  bounds: DurationBounds,
): PhaseDurations {
  const errors = durationProblems(requested, bounds, 'phases.');
  if (errors.length > 0) throw new ServiceError('INVALID_REQUEST', { errors });
  const { votingSeconds, lockSeconds, executionSeconds } = governanceSettings(vault);
  const shorter = shorterPhaseProblems({ voting: votingSeconds, lock: lockSeconds }, requested, 'phases.');
  if (shorter.length > 0) throw new ServiceError('THRESHOLD_BELOW_VAULT', { errors: shorter });
  const defaults = defaultPhaseDurations(bounds);
  return {
    voting: requested.voting ?? votingSeconds ?? defaults.voting,
    lock: requested.lock ?? lockSeconds ?? defaults.lock,
    execution: requested.execution ?? executionSeconds ?? defaults.execution,
  };
}

interface RequestedCosigning {
  readonly requested: number | undefined;
  /** The cosigning threshold of the proposal. */
  readonly threshold: BasisPoints;
}

/** The number of cosigners of a proposal. */
export async function requiredProposalCosigners(
  context: TransactionContext,
  vault: Vault,
  { requested, threshold }: RequestedCosigning,
): Promise<number> {
  const eligibleAt = async (share: BasisPoints) =>
    vault.cosigners?.keyHashes.length ?? (await countKeysAbove(context, vault, share));
  return requiredCosigners({
    vault: vault.cosigners?.required ?? governanceSettings(vault).requiredCosigners,
    requested,
    eligibleInVault: await eligibleAt(vault.terms.governance.cosigning),
    eligible: await eligibleAt(threshold),
  });
}

/** Far above the largest number of cosigners that a proposal can require; an exact count is not needed beyond it. */
const MAX_COUNTED_STAKERS = 1000;

/** Counts the keys that may cosign. A wallet that staked from several addresses of one key counts once. */
async function countKeysAbove({ tx, now }: TransactionContext, vault: Vault, threshold: BasisPoints): Promise<number> {
  const supply = await governingSupplyOf(tx, vault);
  return countKeys(await stakersAbove(tx, vault.id, { threshold, supply, limit: MAX_COUNTED_STAKERS }, now));
}

/**
 * The number of cosigners of a proposal that passes (design D29). Who voted is counted under the threshold of the vault: the
 * proposal may have raised its own.
 */
export async function cosignersOfPassed(tx: Transaction, proposal: Proposal): Promise<number> {
  const { id, vaultId, requiredCosigners: atCreation } = proposal;
  const vault = await getVault(tx, vaultId);
  const asked = governanceSettings(vault).requiredCosigners;
  // Registered cosigners are the same at any time.
  if (vault.cosigners !== null || asked === undefined || asked <= atCreation) return atCreation;
  const supply = await governingSupplyOf(tx, vault);
  const share = { threshold: vault.terms.governance.cosigning, supply, limit: MAX_COUNTED_STAKERS };
  const eligible = countKeys(await votersAbove(tx, id, share));
  return cosignersAfterVote(atCreation, { vault: asked, eligible });
}

function countKeys(wallets: readonly string[]): number {
  return new Set(wallets.map(paymentKeyHashOf)).size;
}
