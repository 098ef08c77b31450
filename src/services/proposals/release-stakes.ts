import { setStakesReleased } from '../../store/proposal-changes.ts';
import { lockStakesUsedInProposal, updateStakeUses } from '../../store/stake-uses.ts';
import type { ServiceContext } from '../context.ts';
import type { ProposalMoment } from './proposal-step.ts';

/** Releases the stakes that voted in a proposal that has ended. */
export async function releaseStakes(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { proposalId, now }: ProposalMoment,
): Promise<void> {
  await unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    const stakeIds = await lockStakesUsedInProposal(tx, proposalId);
    await setStakesReleased(context, proposalId);
    await updateStakeUses(context, stakeIds);
  });
}
