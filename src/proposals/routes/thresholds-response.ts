import { z } from 'zod';
import { type BaseUnits, type BasisPoints, basisPoints, FULL_SHARE } from '../../platform/units/money.ts';
import { MIN_TURNOUT } from '../../votes/rules/outcome.ts';
import { percentageNumber } from '../../platform/units/percentage.ts';
import type { ProposalView } from '../view-proposals.ts';

const Threshold = z.object({
  required: z.number().describe('Minimum in percent'),
  actual: z.number().describe('Percent reached, cut off after two decimals; the comparison uses the exact amounts'),
});

/** The thresholds of a proposal, as required and as reached. */
export const ThresholdsResource = z
  .object({ creation: Threshold, start: Threshold, vote: Threshold, turnout: Threshold, execution: Threshold })
  .describe(
    'Percentages, as required and as reached. creation: stakes of the proposer, of the whole token supply, or of the tokens in ' +
      'circulation while holders claim. start: stakes that endorse the proposal or opened its vote, of the same. vote: voting power that has voted, of ' +
      '`eligiblePowerBaseUnits`. turnout: voting power that has voted, of `circulatingBaseUnits`; the same for all vaults. ' +
      'execution: voting power that approves, of the voting power that has voted.',
  );

export function presentThresholds({
  proposal: { thresholds },
  supply,
  votes: { tally, quorumBase, circulating },
  endorsed,
  proposerPower,
}: ProposalView) {
  return {
    creation: presentThreshold(thresholds.creation, proposerPower, supply),
    start: presentThreshold(thresholds.start, endorsed, supply),
    vote: presentThreshold(thresholds.vote, tally.totalVoted, quorumBase),
    turnout: presentThreshold(MIN_TURNOUT, tally.totalVoted, circulating),
    execution: presentThreshold(thresholds.execution, tally.approve, tally.totalVoted),
  };
}

function presentThreshold(required: BasisPoints, part: BaseUnits, whole: BaseUnits) {
  return { required: percentageNumber(required), actual: percentageOf(part, whole) };
}

/** Cut off after two decimals. */
function percentageOf(part: BaseUnits, whole: BaseUnits): number {
  return whole === 0n ? 0 : percentageNumber(basisPoints((part * FULL_SHARE) / whole));
}
