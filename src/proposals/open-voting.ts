import { ServiceError } from '../platform/errors/errors.ts';
import { endAfterClaims } from './rules/governed-vault.ts';
import { type PhaseDurations, planPhases } from './rules/phases.ts';
import { startReached } from './rules/thresholds.ts';
import { isoText } from '../platform/units/instant.ts';
import { governingSupplyOf } from '../staking/queries/circulating-supply.ts';
import { endorsingPower } from './queries/endorsements.ts';
import { getProposal } from './queries/proposals.ts';
import { openVoting } from './queries/proposal-changes.ts';
import { getTermination } from '../termination/queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/** Opens the vote of a draft whose endorsers have enough power; returns whether it did (design D22). Throws CLAIMS_END_BEFORE_EXECUTION. */
export async function openWhenEndorsed(
  context: TransactionContext,
  vault: Vault,
  proposalId: string,
): Promise<boolean> {
  const { tx, now } = context;
  const proposal = await getProposal(tx, proposalId);
  const power = await endorsingPower(tx, proposal, now);
  const { start: threshold } = proposal.thresholds;
  if (!startReached({ power, supply: await governingSupplyOf(tx, vault), threshold })) return false;
  await requireEndBeforeClaims(context, vault, proposal.durations);
  await openVoting(tx, proposal, planPhases(now, proposal.durations), power);
  return true;
}

/**
 * Throws CLAIMS_END_BEFORE_EXECUTION for a proposal that could be executed when the claims on its vault are over: what it then brings
 * would be nobody's.
 */
export async function requireEndBeforeClaims(
  { tx, now }: TransactionContext,
  { id, claimsOpen }: Vault,
  durations: PhaseDurations,
): Promise<void> {
  if (!claimsOpen) return;
  const { claimDeadline } = await getTermination(tx, id);
  const executionEndsAt = endAfterClaims(durations, claimDeadline, now);
  if (executionEndsAt === null || claimDeadline === null) return;
  const details = { claimDeadline: isoText(claimDeadline), executionEndsAt: isoText(executionEndsAt) };
  throw new ServiceError('CLAIMS_END_BEFORE_EXECUTION', details);
}
