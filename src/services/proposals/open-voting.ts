import { planPhases } from '../../domain/proposal/phases.ts';
import { startReached } from '../../domain/proposal/thresholds.ts';
import { endorsingPower } from '../../store/endorsements.ts';
import { getProposal } from '../../store/proposals.ts';
import { openVoting } from '../../store/proposal-changes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Vault } from '../../store/vaults.ts';

/** Opens the vote of a draft whose endorsers have enough power; returns whether it did (design D22). */
export async function openWhenEndorsed(
  { tx, now }: TransactionContext,
  { terms }: Vault,
  proposalId: string,
): Promise<boolean> {
  const proposal = await getProposal(tx, proposalId);
  const power = await endorsingPower(tx, proposal, now);
  const { start: threshold } = proposal.thresholds;
  if (!startReached({ power, supply: terms.ftSupply, threshold })) return false;
  await openVoting(tx, proposal, planPhases(now, proposal.durations), power);
  return true;
}
