import { largestRemainder } from './largest-remainder.ts';
import { type ContributorShare, liquidityLovelace } from './distribution.ts';
import type { Contribution, PlannedInput } from './distribution-input.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';

/** What a settlement pays in ADA when some of the planned investments were reclaimed; FT stay as planned. */
export interface Revision {
  /** The ADA of the investments that were not reclaimed; the figures below add up to it. */
  readonly invested: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly contributorsLovelace: Lovelace;
  readonly contributors: readonly Pick<ContributorShare, 'id' | 'lovelace'>[];
}

/**
 * Distributes the ADA of the investments that were not reclaimed, by the formula of the plan; nobody gets more than planned
 * (docs/decisions/2026-11-21-deposits-reclaimed-during-settlement.md). `input` is what the plan was made from. Equals the plan when
 * nothing is missing.
 */
export function reviseSettlement(
  planned: readonly Pick<ContributorShare, 'id' | 'lovelace'>[],
  input: PlannedInput,
  invested: Lovelace,
): Revision {
  const lpLovelace = liquidityLovelace(invested, input);
  const plan = new Map(planned.map(({ id, lovelace: share }) => [id, share]));
  const shares = input.contributors.map(({ id, at, value: weight }) => ({ id, at, weight, limit: plan.get(id) ?? 0n }));
  const parts = largestRemainder(invested - lpLovelace, shares);
  return {
    invested,
    lpLovelace,
    contributorsLovelace: lovelace(invested - lpLovelace),
    contributors: input.contributors.map(({ id }, position) => ({ id, lovelace: lovelace(parts[position] ?? 0n) })),
  };
}

/** What the deposits of a plan add up to. */
interface PlanSums {
  readonly value: Lovelace;
  readonly invested: Lovelace;
}

/** Guards the money: a revision starts from exactly the figures of the plan. Throws unless the deposits add up to them. */
export function requireAsPlanned(
  plan: PlanSums | null,
  contributors: readonly Pick<Contribution, 'value'>[],
  invested: Lovelace,
): void {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  if (plan?.value !== value || plan.invested !== invested)
    throw new Error(`planned were ${plan?.value} and ${plan?.invested} lovelace, found ${value} and ${invested}`);
}
