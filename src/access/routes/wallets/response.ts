import { z } from 'zod';
import { isoText } from '../../../platform/units/instant.ts';
import type { ProposalPower, VaultPower } from '../../../proposals/queries/proposal-powers.ts';
import { powerExample } from './examples.ts';
import { BaseUnitsText, Timestamp } from '../../../platform/http/fields.ts';
import { wholeTokens } from '../../../staking/routes/response.ts';
import { presentVote, VoteResource } from '../../../votes/routes/response.ts';

export const VotingPowerResource = z
  .object({
    vaultId: z.uuid(),
    staked: z.number().describe('Whole tokens staked: in a stake script, or on the way to it'),
    stakedBaseUnits: BaseUnitsText,
    votingPower: z
      .number()
      .describe('Whole tokens that can vote: final stakes; in a proposal, those that were final before voting opened'),
    votingPowerBaseUnits: BaseUnitsText,
    usedPower: z
      .number()
      .describe('Whole tokens used by votes on unfinished proposals; in a proposal, by the vote of the wallet there'),
    usedPowerBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'VotingPower', examples: [powerExample] });

/** Voting power within one proposal. */
export const ProposalPowerResource = VotingPowerResource.extend({
  proposalId: z.uuid(),
  votingStartedAt: Timestamp.nullable().describe(
    'Stakes that were final before this time can vote; `null` until voting opens, when no stake can vote',
  ),
  vote: VoteResource.nullable().describe('The current vote of the wallet; `null` if there is none'),
}).meta({ id: 'ProposalPower' });

export function presentPower({
  vaultId,
  ftDecimals,
  staked,
  votingPower,
  usedPower,
}: VaultPower): z.input<typeof VotingPowerResource> {
  return {
    vaultId,
    staked: wholeTokens(staked, ftDecimals),
    stakedBaseUnits: staked.toString(),
    votingPower: wholeTokens(votingPower, ftDecimals),
    votingPowerBaseUnits: votingPower.toString(),
    usedPower: wholeTokens(usedPower, ftDecimals),
    usedPowerBaseUnits: usedPower.toString(),
  };
}

export function presentProposalPower({ proposalId, votingStartsAt, power, vote }: ProposalPower) {
  return {
    ...presentPower(power),
    proposalId,
    votingStartedAt: votingStartsAt === null ? null : isoText(votingStartsAt),
    vote: vote && presentVote(vote),
  };
}
