import { z } from 'zod';
import { assetTypes, maxAssetsPerVault } from '../domain/asset.ts';
import { parseVaultType, valuationTypes, vaultTypes } from '../domain/vault.ts';
import { AddressText, DurationText, Percentage, PolicyId, StartText, TokenAmount, Word, WordOf } from './fields.ts';

const VaultTypeText = WordOf(vaultTypes, parseVaultType);

const Addresses = z.array(AddressText).max(1000);

const AssetSettings = z.strictObject({
  allowed_asset_types: z.array(Word(assetTypes)).min(1).max(10),
  policy_ids: z.array(PolicyId).max(500).default([]),
  valuation_type: Word(valuationTypes),
  floor_price_percentage: Percentage(1, 100).default(100),
  max_assets: z.int().min(1).max(maxAssetsPerVault).default(maxAssetsPerVault),
  asset_window_start_time: StartText.optional(),
  asset_window_duration: DurationText.optional(),
});

const InvestmentSettings = z.strictObject({
  investment_window_duration: DurationText,
  investment_start_time: StartText.optional(),
  minimum_investment_reserve: Percentage(5, 50),
  ft_supply: TokenAmount,
  ft_token_decimals: z.int().min(1).max(9),
  lp_percentage: Percentage(1, 20),
  ft_percentage: Percentage(1, 100).default(50),
});

const GovernanceSettings = z.strictObject({
  creation_threshold: Percentage(0, 100),
  start_threshold: Percentage(0, 100),
  vote_threshold: Percentage(10, 100),
  execution_threshold: Percentage(0, 100),
  cosigning_threshold: Percentage(0, 100),
  voting_duration: DurationText.optional(),
  lock_duration: DurationText.optional(),
  execution_duration: DurationText.optional(),
  cosigners: z.array(AddressText).max(20).optional(),
  required_cosigners: z.int().min(1).max(20).optional(),
  /** Where proposals may stake the vault's assets. */
  staking_addresses: z.array(AddressText).max(20).optional(),
});

const Termination = z.strictObject({
  type: Word(['DAO', 'PROGRAMMED']).default('DAO'),
  fdp: Percentage(0, 100).default(0),
  duration: DurationText.optional(),
});

/** Whatever the creator wants to keep with the vault. */
const FreeForm = z
  .record(z.string().max(100), z.unknown())
  .refine((value) => isShallow(value, 10) && JSON.stringify(value).length <= 10_000, {
    error: 'At most 10,000 characters of JSON, nested at most ten deep',
    params: { code: 'TOO_BIG' },
  });

/** Body of POST /vaults: the spec's fields, and the additive ones of design D9. */
export const CreateVault = z
  .strictObject({
    vault_name: z.string().trim().min(1).max(100),
    vault_type: VaultTypeText.optional(),
    privacy_type: VaultTypeText.optional(),
    admin_user: z.strictObject({ wallet_address: AddressText, email: z.email().max(254).optional() }),
    asset_settings: AssetSettings,
    investment_settings: InvestmentSettings,
    governance_settings: GovernanceSettings,
    termination: Termination.default({ type: 'DAO', fdp: 0 }),
    contributor_whitelist: Addresses.default([]),
    investor_whitelist: Addresses.default([]),
    metadata: FreeForm.default({}),
  })
  .meta({ id: 'CreateVault' });

/** Looks level by level, because a hostile body nests deeper than the call stack. */
function isShallow(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item as Record<string, unknown>) : [],
    );
  }
  return true;
}

/** A request that is valid everywhere and at any time. */
export const exampleVault: z.input<typeof CreateVault> = {
  vault_name: 'Harbour Loft',
  vault_type: 'PUBLIC',
  admin_user: { wallet_address: 'addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz' },
  asset_settings: { allowed_asset_types: ['NFT', 'CNT'], valuation_type: 'LBE' },
  investment_settings: {
    investment_window_duration: '168h',
    minimum_investment_reserve: 20,
    ft_supply: 1_000_000,
    ft_token_decimals: 6,
    lp_percentage: 10,
  },
  governance_settings: {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
  },
};

export type VaultRequest = z.output<typeof CreateVault>;
