import { type DurationBounds, printDuration } from '../units/duration.ts';
import { type FieldProblem, ServiceError } from '../errors.ts';
import { type BaseUnits, type BasisPoints, FULL_SHARE } from '../units/money.ts';
import { printPercentage } from '../units/percentage.ts';
import { phaseNames, type PhaseDurations } from './phases.ts';
import { reachesShare } from '../vote/tally.ts';
import { type GovernanceThresholds } from '../vault/vault.ts';

/** What a proposal asks for itself; what it leaves out is its vault's. */
export type RequestedThresholds = { readonly [Name in keyof GovernanceThresholds]?: BasisPoints | undefined };

const names = ['creation', 'start', 'vote', 'execution', 'cosigning'] as const;

/** Everything that is wrong with a proposal's thresholds: above 100 %, or laxer than its vault's (design D22). */
export function thresholdProblems(vault: GovernanceThresholds, asked: RequestedThresholds): readonly FieldProblem[] {
  return names.flatMap((name): FieldProblem[] => {
    const wish = asked[name];
    const field = `governance_thresholds.${name}_threshold`;
    if (wish === undefined) return [];
    if (wish > FULL_SHARE) return [{ code: 'INVALID_REQUEST', message: 'A threshold is at most 100 %', field }];
    if (wish >= vault[name]) return [];
    const message = `The vault asks for at least ${printPercentage(vault[name])} %`;
    return [{ code: 'THRESHOLD_BELOW_VAULT', message, field }];
  });
}

/** The thresholds a proposal lives by; throws INVALID_REQUEST or THRESHOLD_BELOW_VAULT with the fields. */
export function proposalThresholds(vault: GovernanceThresholds, asked: RequestedThresholds): GovernanceThresholds {
  const errors = thresholdProblems(vault, asked);
  if (errors.length > 0) {
    const laxer = errors.every(({ code }) => code === 'THRESHOLD_BELOW_VAULT');
    throw new ServiceError(laxer ? 'THRESHOLD_BELOW_VAULT' : 'INVALID_REQUEST', { errors });
  }
  return {
    creation: asked.creation ?? vault.creation,
    start: asked.start ?? vault.start,
    vote: asked.vote ?? vault.vote,
    execution: asked.execution ?? vault.execution,
    cosigning: asked.cosigning ?? vault.cosigning,
  };
}

/** What is out of bounds in a proposal's phases, by the field `<prefix><phase>_duration` (design D2). */
export function durationProblems(
  durations: Partial<PhaseDurations>,
  bounds: DurationBounds,
  prefix: string,
): readonly FieldProblem[] {
  return phaseNames.flatMap((phase): FieldProblem[] => {
    const seconds = durations[phase];
    const { min, max } = bounds[phase];
    if (seconds === undefined || (seconds >= min && seconds <= max)) return [];
    const message = `The duration must be between ${printDuration(min)} and ${printDuration(max)} (DD:HH:MM)`;
    return [{ code: 'INVALID_REQUEST', message, field: `${prefix}${phase}_duration` }];
  });
}

/** A share of a vault's whole supply, in base units. */
export interface SupplyShare {
  readonly power: BaseUnits;
  readonly supply: BaseUnits;
  readonly threshold: BasisPoints;
}

/** Throws CREATION_THRESHOLD_NOT_MET unless the proposer's stakes reach their share of the supply (design D22). */
export function requireCreationThreshold({ power, supply, threshold }: SupplyShare): void {
  if (reachesShare(power, threshold, supply)) return;
  throw new ServiceError('CREATION_THRESHOLD_NOT_MET', {
    required: `${printPercentage(threshold)} %`,
    staked: String(power),
    supply: String(supply),
  });
}

/** Whether the endorsers' power, the proposer's among it, opens voting; a start threshold of 0 does at once (design D22). */
export function startReached({ power, supply, threshold }: SupplyShare): boolean {
  return reachesShare(power, threshold, supply);
}
