import { z } from 'zod';
import type { ProposalView } from '../view-proposals.ts';
import { AmountText, WholeTokens } from '../../platform/http/fields.ts';
import { wholeTokens } from '../../staking/routes/response.ts';

/** The sums of the votes that count. */
export const TallyResource = z.object({
  approve: WholeTokens,
  reject: WholeTokens,
  totalVoted: WholeTokens,
  uniqueVoters: z.int().describe('Number of wallets whose vote counts'),
  approveBaseUnits: AmountText.describe('Base units that approve'),
  rejectBaseUnits: AmountText.describe('Base units that reject'),
  totalVotedBaseUnits: AmountText.describe('Base units that approve or reject'),
});

export function presentTally({ votes: { tally }, vault: { terms } }: ProposalView) {
  const { approve, reject, totalVoted, uniqueVoters } = tally;
  return {
    approve: wholeTokens(approve, terms.ftDecimals),
    reject: wholeTokens(reject, terms.ftDecimals),
    totalVoted: wholeTokens(totalVoted, terms.ftDecimals),
    uniqueVoters,
    approveBaseUnits: approve.toString(),
    rejectBaseUnits: reject.toString(),
    totalVotedBaseUnits: totalVoted.toString(),
  };
}
