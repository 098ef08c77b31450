import { expect, test } from '@jest/globals';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import { builtInAssetTypes, builtInVaultTypes } from '../../types/rules.ts';
import type { VaultTerms } from './vault.ts';
import { vaultTermProblems } from './windows.ts';

const percent = (value: number) => basisPoints(BigInt(Math.round(value * 100)));

const terms: VaultTerms = {
  type: 'PUBLIC',
  typeRules: builtInVaultTypes.PUBLIC,
  assetTypes: { NFT: builtInAssetTypes.NFT },
  assetWhitelist: [],
  contributorWhitelist: [],
  investorWhitelist: [],
  investorListEnabled: false,
  valuationType: 'LBE',
  customPrices: [],
  floorPricePercentage: percent(100),
  maxShare: percent(100),
  maxAssets: 100,
  reserve: percent(10),
  lpPercentage: percent(10),
  ftPercentage: percent(50),
  ftSupply: baseUnits(1_000_000n),
  ftDecimals: 6,
  governance: {
    creation: percent(5),
    start: percent(0),
    vote: percent(51),
    execution: percent(51),
    cosigning: percent(10),
  },
  termination: { type: 'DAO', fdp: percent(0) },
};

const governance = (change: Partial<VaultTerms['governance']>) => ({ governance: { ...terms.governance, ...change } });

test.each<Partial<VaultTerms>>([
  {},
  { reserve: percent(5), lpPercentage: percent(1), ftPercentage: percent(1), maxAssets: 1, ftDecimals: 1 },
  { reserve: percent(50), lpPercentage: percent(20), ftPercentage: percent(100), ftDecimals: 9 },
  { lpPercentage: percent(2), ftPercentage: percent(1) },
  { ftSupply: baseUnits(9_200_000_000_000_000_000n) },
  governance({ vote: percent(10), execution: percent(100) }),
])('terms within the bounds pass: %j', (change) => {
  expect(vaultTermProblems({ ...terms, ...change })).toEqual([]);
});

test.each<[string, Partial<VaultTerms>]>([
  ['asset_settings.floor_price_percentage', { floorPricePercentage: percent(0) }],
  ['asset_settings.floor_price_percentage', { floorPricePercentage: percent(100.01) }],
  ['asset_settings.max_share', { maxShare: percent(0) }],
  ['asset_settings.max_assets', { maxAssets: 0 }],
  ['asset_settings.max_assets', { maxAssets: 101 }],
  ['asset_settings.max_assets', { maxAssets: 1.5 }],
  ['investment_settings.minimum_investment_reserve', { reserve: percent(4.99) }],
  ['investment_settings.minimum_investment_reserve', { reserve: percent(50.01) }],
  ['investment_settings.lp_percentage', { lpPercentage: percent(0.99) }],
  ['investment_settings.lp_percentage', { lpPercentage: percent(20.01) }],
  ['investment_settings.lp_percentage', { lpPercentage: percent(3), ftPercentage: percent(1) }],
  ['investment_settings.ft_percentage', { ftPercentage: percent(100.01) }],
  ['investment_settings.ft_token_decimals', { ftDecimals: 0 }],
  ['investment_settings.ft_token_decimals', { ftDecimals: 10 }],
  ['investment_settings.ft_supply', { ftSupply: baseUnits(0n) }],
  ['investment_settings.ft_supply', { ftSupply: baseUnits(9_200_000_000_000_000_001n) }],
  ['governance_settings.vote_threshold', governance({ vote: percent(9.99) })],
  ['governance_settings.creation_threshold', governance({ creation: percent(101) })],
  ['termination.fdp', { termination: { type: 'DAO', fdp: percent(101) } }],
])('a value out of bounds is named: %s', (field, change) => {
  const problems = vaultTermProblems({ ...terms, ...change });
  expect(problems.map((problem) => [problem.code, problem.field])).toEqual([['INVALID_VAULT_PARAMS', field]]);
});
