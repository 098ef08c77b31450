import { parseDuration } from '../../platform/units/duration.ts';
import { type BasisPoints, baseUnits, basisPoints } from '../../platform/units/money.ts';
import { parsePercentage } from '../../platform/units/percentage.ts';
import { parseTokenAmount } from '../../platform/units/token-amount.ts';
import type { NamedTypes } from '../../types/rules/named-types.ts';
import type { TerminationTerms, VaultTerms } from '../rules/vault.ts';
import { builtInVaultTypes } from '../../types/rules/vault-type.ts';
import type { GovernanceSettings } from '../../proposals/queries/governance-settings.ts';
import type { VaultRequest } from './request.ts';

/** The terms that the request asks for, without its whitelists and custom prices. A value that other checks refuse is replaced by a default. */
export function parseVaultTerms(request: VaultRequest, { vaultTypes, assetTypes }: NamedTypes): VaultTerms {
  const { asset_settings: asset, investment_settings: investment, governance_settings: governance } = request;
  const decimals = investment.ft_token_decimals;
  const type = request.vault_type ?? request.privacy_type ?? '';
  const typeRules = vaultTypes.get(type) ?? builtInVaultTypes.PRIVATE;
  const accepted = asset.allowed_asset_types.flatMap((name) => {
    const rules = assetTypes.get(name);
    return rules ? [[name, rules] as const] : [];
  });
  return {
    type,
    typeRules,
    assetTypes: Object.fromEntries(accepted),
    assetWhitelist: [...new Set(asset.policy_ids)],
    contributorWhitelist: [],
    investorWhitelist: [],
    investorListEnabled: typeRules.investors !== 'anyone',
    valuationType: asset.valuation_type,
    floorPricePercentage: toBasisPoints(asset.floor_price_percentage),
    customPrices: [],
    maxAssets: asset.max_assets,
    maxShare: toBasisPoints(asset.max_share),
    reserve: toBasisPoints(investment.minimum_investment_reserve),
    lpPercentage: toBasisPoints(investment.lp_percentage),
    ftPercentage: toBasisPoints(investment.ft_percentage),
    ftSupply: parseTokenAmount(investment.ft_supply, decimals) ?? baseUnits(1n),
    ftDecimals: decimals,
    governance: {
      creation: toBasisPoints(governance.creation_threshold),
      start: toBasisPoints(governance.start_threshold),
      vote: toBasisPoints(governance.vote_threshold),
      execution: toBasisPoints(governance.execution_threshold),
      cosigning: toBasisPoints(governance.cosigning_threshold),
    },
    termination: parseTermination(request.termination),
  };
}

/** The governance settings besides the thresholds; only those that the request contains. */
export function parseGovernanceSettings({ governance_settings: settings }: VaultRequest): GovernanceSettings {
  const given = {
    votingSeconds: toSeconds(settings.voting_duration),
    lockSeconds: toSeconds(settings.lock_duration),
    executionSeconds: toSeconds(settings.execution_duration),
    requiredCosigners: settings.required_cosigners,
    stakingAddresses: settings.staking_addresses,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function parseTermination({ type, fdp, duration, claim_duration }: VaultRequest['termination']): TerminationTerms {
  const claimSeconds = toSeconds(claim_duration);
  const common = { fdp: toBasisPoints(fdp), ...(claimSeconds !== undefined && { claimSeconds }) };
  return type === 'DAO' ? { type, ...common } : { type, ...common, duration: parseDuration(duration ?? '') ?? 0 };
}

function toBasisPoints(percentage: number): BasisPoints {
  return parsePercentage(percentage) ?? basisPoints(0n);
}

function toSeconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
