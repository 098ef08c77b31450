import { z } from 'zod';
import { assetTypes, maxAssetsPerVault } from '../../domain/asset/asset.ts';
import { parseVaultType, valuationTypes, vaultTypes } from '../../domain/vault/vault.ts';
import { exampleWallet } from '../server/example-wallet.ts';
import {
  AddressText,
  DurationText,
  Percentage,
  PolicyId,
  StartText,
  TokenAmount,
  CaseInsensitive,
  ParsedWord,
} from '../server/fields.ts';
import { phaseDurations, requiredCosigners, vaultThresholds } from '../proposals/fields.ts';
import { durationTexts, investmentTexts } from '../server/descriptions.ts';

const VaultTypeText = ParsedWord(vaultTypes, parseVaultType);

const Addresses = z.array(AddressText).max(1000);
const whitelistWords = (deed: string) =>
  `PRIVATE: who besides the admin may ${deed}; SEMI_PRIVATE: who alone may, anyone when empty; PUBLIC: not asked`;

const AssetSettings = z.strictObject({
  allowed_asset_types: z.array(CaseInsensitive(assetTypes)).min(1).max(10),
  policy_ids: z
    .array(PolicyId)
    .max(500)
    .describe('The only policies whose assets are taken; any policy when empty')
    .default([]),
  valuation_type: CaseInsensitive(valuationTypes).describe(
    'FIXED: an asset counts at its price when it was contributed; LBE: at the price when the asset window closed; in any case',
  ),
  floor_price_percentage: Percentage(1, 100).describe("How many percent of an asset's market price count").default(100),
  max_assets: z.int().min(1).max(maxAssetsPerVault).default(maxAssetsPerVault),
  asset_window_start_time: StartText.describe('Now unless said; at most 365 days ahead').optional(),
  asset_window_duration: DurationText.describe(durationTexts.assetWindow).optional(),
});

const InvestmentSettings = z.strictObject({
  investment_window_duration: DurationText.describe(durationTexts.investmentWindow),
  investment_start_time: StartText.describe('Now unless said; at most 365 days ahead').optional(),
  minimum_investment_reserve: Percentage(5, 50).describe(investmentTexts.reserve),
  ft_supply: TokenAmount,
  ft_token_decimals: z.int().min(1).max(9),
  lp_percentage: Percentage(1, 20).describe(`${investmentTexts.liquidity}; at most twice \`ft_percentage\``),
  ft_percentage: Percentage(1, 100).describe(investmentTexts.investors).default(50),
});

const GovernanceSettings = z.strictObject({
  ...vaultThresholds,
  ...phaseDurations,
  cosigners: z
    .array(AddressText)
    .max(20)
    .describe('Wallets that alone cosign executions, whatever they have staked; their keys stand in the custody script')
    .optional(),
  required_cosigners: requiredCosigners(1, '1 unless said; never more than the `cosigners` named.'),
  staking_addresses: z
    .array(AddressText)
    .max(20)
    .describe("The only addresses where proposals may stake the vault's assets")
    .optional(),
});

const Termination = z.strictObject({
  type: CaseInsensitive(['DAO', 'PROGRAMMED'])
    .describe('DAO: by an executed proposal to liquidate; PROGRAMMED: `duration` after the vault has locked')
    .default('DAO'),
  fdp: Percentage(0, 100).describe('Floor price deviation in percent; 0 for none').default(0),
  duration: DurationText.describe('Required for PROGRAMMED and only taken there; 1 hour to 10 years').optional(),
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
    vault_type: VaultTypeText.describe(
      `${vaultTypes.join(', ')}; in any case. Required, here or as \`privacy_type\``,
    ).optional(),
    privacy_type: VaultTypeText.describe(
      'Another name of `vault_type`; where both are given they must agree',
    ).optional(),
    admin_user: z.strictObject({ wallet_address: AddressText, email: z.email().max(254).optional() }),
    asset_settings: AssetSettings,
    investment_settings: InvestmentSettings,
    governance_settings: GovernanceSettings,
    termination: Termination.describe(
      'How the vault is to end. Kept and shown; nothing but an executed proposal to liquidate ends it yet',
    ).default({ type: 'DAO', fdp: 0 }),
    contributor_whitelist: Addresses.describe(whitelistWords('contribute')).default([]),
    investor_whitelist: Addresses.describe(whitelistWords('invest')).default([]),
    metadata: FreeForm.default({}),
  })
  // Either name will do, which `required` cannot say.
  .meta({ id: 'CreateVault', anyOf: [{ required: ['vault_type'] }, { required: ['privacy_type'] }] });

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
  admin_user: { wallet_address: exampleWallet },
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
