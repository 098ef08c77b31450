import { largestRemainder } from './largest-remainder.ts';
import { type ContributorShare, liquidityLovelace } from './distribution.ts';
import type { PlannedInput } from './distribution-input.ts';
import type { DepositKind } from './deposit-kind.ts';
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
  input: PlannedInput,
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

/** What a plan gives for one deposit. */
export interface PlannedEntitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly lovelace: Lovelace;
  /** Whether the owner has reclaimed the deposit since. */
  readonly reclaimed: boolean;
}

interface RevisedPlan {
  /** Ids of the reclaimed investments. */
  readonly missing: ReadonlySet<string>;
  readonly revision: Revision;
}

/** As `reviseSettlement`, from the entitlements of a stored plan. Throws unless `input` has exactly the figures of the plan. */
export function revisePlan(
  entitlements: readonly PlannedEntitlement[],
  plan: PlanSums | null,
  input: PlannedInput,
): RevisedPlan {
  requireAsPlanned(plan, input);
  const missing = new Set(
    entitlements
      .filter(({ reclaimed, depositKind }) => reclaimed && depositKind === 'investment')
      .map(({ depositId }) => depositId),
  );
  const contributors = entitlements
    .filter(({ depositKind }) => depositKind === 'asset')
    .map(({ depositId, lovelace: share }) => ({ id: depositId, lovelace: share }));
  return { missing, revision: reviseSettlement(contributors, input, missing) };
}

/** The entitlements with what each is owed: as revised, or as planned when no investment is missing. */
export function withRevisedShares<Entitlement extends PlannedEntitlement>(
  entitlements: readonly Entitlement[],
  { missing, revision }: RevisedPlan,
): (Entitlement & { readonly owed: Lovelace })[] {
  const shares = missing.size === 0 ? [] : revision.contributors;
  const owed = new Map(shares.map(({ id, lovelace: share }) => [id, share]));
  return entitlements.map((entitlement) => {
    return { ...entitlement, owed: owed.get(entitlement.depositId) ?? entitlement.lovelace };
  });
}

/** What the deposits of a plan add up to. */
interface PlanSums {
  readonly value: Lovelace;
  readonly invested: Lovelace;
}

/** Guards the money: a revision starts from exactly the figures of the plan. */
function requireAsPlanned(plan: PlanSums | null, { contributors, investors }: PlannedInput): void {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  const invested = investors.reduce((sum, investment) => sum + investment.lovelace, 0n);
  if (plan?.value !== value || plan.invested !== invested)
    throw new Error(`planned were ${plan?.value} and ${plan?.invested} lovelace, found ${value} and ${invested}`);
}
