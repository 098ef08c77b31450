import { type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';
import { type BaseUnits, type BasisPoints, FULL_SHARE } from '../../platform/units/money.ts';
import { printPercentage } from '../../platform/units/percentage.ts';
import { reachesShare } from '../../platform/units/percentage.ts';
import { type GovernanceThresholds } from '../../vaults/rules/vault.ts';

/** Thresholds that a proposal sets itself; the vault's apply where it sets none. */
export type RequestedThresholds = { readonly [Name in keyof GovernanceThresholds]?: BasisPoints | undefined };

const names = ['creation', 'start', 'vote', 'execution', 'cosigning'] as const;

/** All problems of a proposal's thresholds: above 100 %, or lower than the vault's (design D22). */
export function thresholdProblems(
  vault: GovernanceThresholds,
  requested: RequestedThresholds,
): readonly FieldProblem[] {
  return names.flatMap((name): FieldProblem[] => {
    const share = requested[name];
    const field = `governance_thresholds.${name}_threshold`;
    if (share === undefined) return [];
    if (share > FULL_SHARE) return [{ code: 'INVALID_REQUEST', message: 'The threshold must be at most 100 %', field }];
    if (share >= vault[name]) return [];
    const message = `The vault requires at least ${printPercentage(vault[name])} %`;
    return [{ code: 'THRESHOLD_BELOW_VAULT', message, field }];
  });
}

/** The thresholds that apply to a proposal. Throws INVALID_REQUEST or THRESHOLD_BELOW_VAULT with the fields. */
export function proposalThresholds(vault: GovernanceThresholds, requested: RequestedThresholds): GovernanceThresholds {
  const errors = thresholdProblems(vault, requested);
  if (errors.length > 0) {
    const allTooLow = errors.every(({ code }) => code === 'THRESHOLD_BELOW_VAULT');
    throw new ServiceError(allTooLow ? 'THRESHOLD_BELOW_VAULT' : 'INVALID_REQUEST', { errors });
  }
  return {
    creation: requested.creation ?? vault.creation,
    start: requested.start ?? vault.start,
    vote: requested.vote ?? vault.vote,
    execution: requested.execution ?? vault.execution,
    cosigning: requested.cosigning ?? vault.cosigning,
  };
}

/** Staked power, in base units, to be compared with a share of the supply that governs the vault. */
export interface SupplyShare {
  readonly power: BaseUnits;
  readonly supply: BaseUnits;
  readonly threshold: BasisPoints;
}

/** Throws CREATION_THRESHOLD_NOT_MET unless the proposer's stakes reach the creation threshold (design D22). */
export function requireCreationThreshold({ power, supply, threshold }: SupplyShare): void {
  if (reachesShare(power, threshold, supply)) return;
  throw new ServiceError('CREATION_THRESHOLD_NOT_MET', {
    required: `${printPercentage(threshold)} %`,
    staked: String(power),
    supply: String(supply),
  });
}

/** Whether the stakes of proposer and endorsers open voting. A start threshold of 0 opens it at once (design D22). */
export function startReached({ power, supply, threshold }: SupplyShare): boolean {
  return reachesShare(power, threshold, supply);
}
