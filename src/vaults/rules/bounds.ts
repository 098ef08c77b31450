import { type FieldProblem } from '../../platform/errors/errors.ts';
import { maxAssetsPerVault } from '../../assets/rules/asset.ts';
import { printPercentage } from '../../platform/units/percentage.ts';
import { type BasisPoints, basisPoints, FULL_SHARE } from '../../platform/units/money.ts';
import { type VaultTerms } from './vault.ts';

interface Range<N extends bigint | number> {
  readonly min: N;
  readonly max: N;
}

const percent = (min: bigint, max: bigint): Range<BasisPoints> => ({
  min: basisPoints(min * 100n),
  max: basisPoints(max * 100n),
});

/** Inclusive bounds of a vault's percentages (spec, "Validation bounds"; design D10). */
const percentageBounds = {
  floorPricePercentage: percent(1n, 100n),
  maxShare: percent(1n, 100n),
  reserve: percent(5n, 50n),
  lpPercentage: percent(1n, 20n),
  ftPercentage: percent(1n, 100n),
} as const;
const governanceBounds = {
  creation: percent(0n, 100n),
  start: percent(0n, 100n),
  vote: percent(10n, 100n),
  execution: percent(0n, 100n),
  cosigning: percent(0n, 100n),
} as const;
const decimalBounds: Range<number> = { min: 1, max: 9 };
/** Below the largest token quantity of the ledger, 2^63 - 1. */
const largestSupply = 9_200_000_000_000_000_000n;

const fields = {
  floorPricePercentage: 'asset_settings.floor_price_percentage',
  maxShare: 'asset_settings.max_share',
  reserve: 'investment_settings.minimum_investment_reserve',
  lpPercentage: 'investment_settings.lp_percentage',
  ftPercentage: 'investment_settings.ft_percentage',
} as const;

/** The terms of a vault that are out of bounds, by field of the request that creates it. */
export function vaultTermProblems(terms: VaultTerms): readonly FieldProblem[] {
  const percentages = Object.entries(percentageBounds).flatMap(([name, bound]) => {
    const key = name as keyof typeof percentageBounds;
    return percentageProblems(fields[key], terms[key], bound);
  });
  const governance = Object.entries(governanceBounds).flatMap(([name, bound]) => {
    const key = name as keyof typeof governanceBounds;
    return percentageProblems(`governance_settings.${name}_threshold`, terms.governance[key], bound);
  });
  return [...percentages, ...governance, ...supplyProblems(terms), ...otherProblems(terms)];
}

function percentageProblems(field: string, value: BasisPoints, { min, max }: Range<BasisPoints>): FieldProblem[] {
  if (value >= min && value <= max) return [];
  return [problem(field, `The percentage must be from ${printPercentage(min)} to ${printPercentage(max)}`)];
}

function supplyProblems({ ftSupply, ftDecimals }: VaultTerms): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Number.isInteger(ftDecimals) || ftDecimals < decimalBounds.min || ftDecimals > decimalBounds.max) {
    problems.push(problem('investment_settings.ft_token_decimals', 'The number of decimals must be from 1 to 9'));
  }
  if (ftSupply === 0n || ftSupply > largestSupply) {
    problems.push(problem('investment_settings.ft_supply', 'The supply in base units must be from 1 to 9.2e18'));
  }
  return problems;
}

function otherProblems(terms: VaultTerms): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Number.isInteger(terms.maxAssets) || terms.maxAssets < 1 || terms.maxAssets > maxAssetsPerVault) {
    problems.push(problem('asset_settings.max_assets', `The number of assets must be from 1 to ${maxAssetsPerVault}`));
  }
  if (terms.lpPercentage > 2n * terms.ftPercentage) {
    problems.push(problem(fields.lpPercentage, 'The liquidity percentage must be at most twice ft_percentage'));
  }
  if (terms.termination.fdp > FULL_SHARE)
    problems.push(problem('termination.fdp', 'The floor price deviation must be at most 100 %'));
  return problems;
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}
