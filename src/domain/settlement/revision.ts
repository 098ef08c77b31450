import { largestRemainder } from './apportion.ts';
import { type ContributorShare, liquidityLovelace } from './distribution.ts';
import type { DistributionInput } from './distribution-input.ts';
import { type Lovelace, lovelace } from '../units/money.ts';

/** What a settlement pays in ADA when some of the planned investments were reclaimed; FT stay as planned. */
export interface Revision {
  /** The ADA of the investments that were not reclaimed; the figures below add up to it. */
  readonly invested: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly contributorsLovelace: Lovelace;
  readonly contributors: readonly Pick<ContributorShare, 'id' | 'lovelace'>[];
}

/**
 * Distributes the ADA that is left without the `reclaimed` investments (by id), by the formula of the plan; nobody gets more
 * than planned (docs/decisions/2026-11-21-deposits-reclaimed-during-settlement.md). `input` is what the plan was made from. Equals the plan when nothing is missing.
 */
export function reviseSettlement(
  planned: readonly Pick<ContributorShare, 'id' | 'lovelace'>[],
  input: Pick<DistributionInput, 'ftPercentage' | 'lpPercentage' | 'contributors' | 'investors'>,
  reclaimed: ReadonlySet<string>,
): Revision {
  const came = input.investors.filter(({ id }) => !reclaimed.has(id));
  const invested = came.reduce((sum, investment) => sum + investment.lovelace, 0n);
  const lpLovelace = liquidityLovelace(invested, input);
  const plan = new Map(planned.map(({ id, lovelace: share }) => [id, share]));
  const shares = input.contributors.map(({ id, at, value: weight }) => ({ id, at, weight, limit: plan.get(id) ?? 0n }));
  const parts = largestRemainder(invested - lpLovelace, shares);
  return {
    invested: lovelace(invested),
    lpLovelace,
    contributorsLovelace: lovelace(invested - lpLovelace),
    contributors: input.contributors.map(({ id }, position) => ({ id, lovelace: lovelace(parts[position] ?? 0n) })),
  };
}
