import { z } from 'zod';
import type { VotingPosition } from '../../votes/read-votes.ts';
import { AmountText } from '../../platform/http/fields.ts';
import { wholeTokens } from '../../staking/routes/response.ts';
import { presentVote, VoteResource } from '../../votes/routes/response.ts';

/** The voting power of the session's wallet in a proposal, and its vote. */
export const VotingPositionResource = z.object({
  wallet: z.string().describe('Wallet of the session'),
  power: z.number().describe('Whole tokens with which the wallet can vote; 0 until voting opens'),
  powerBaseUnits: AmountText.describe('The same in base units, exactly'),
  vote: VoteResource.nullable().describe('Current vote of the wallet; `null` if there is none'),
});

export function presentVotingPosition({ wallet, power, vote }: VotingPosition, decimals: number) {
  return {
    wallet,
    power: wholeTokens(power, decimals),
    powerBaseUnits: power.toString(),
    vote: vote && presentVote(vote),
  };
}
