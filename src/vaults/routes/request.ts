import { z } from 'zod';
import { maxAssetsPerVault } from '../../assets/rules/asset.ts';
import { valuationTypes, vaultTypes } from '../../types/rules/vault-type.ts';
import { phaseDurations, requiredCosigners, vaultThresholds } from '../../proposals/routes/fields.ts';
import { durationTexts, investmentTexts } from '../../platform/http/descriptions.ts';
import {
  AddressText,
  CaseInsensitive,
  DurationText,
  Percentage,
  PolicyId,
  StartText,
  TokenAmount,
  TypeName,
  visibleText,
} from '../../platform/http/fields.ts';
import { CustomPriceSettings } from './custom-prices.ts';
import { FreeForm } from './free-form.ts';

/** Personal data: stored encrypted, and nowhere else. */
export const AdminEmail = z.email().max(254);

const windowStart = StartText.describe('Default: now. At most 365 days in the future').optional();

const AssetSettings = z.strictObject({
  allowed_asset_types: z
    .array(TypeName)
    .min(1)
    .max(10)
    .describe('`NFT`, `CNT` and names of registered types (`GET /api/v1/asset-types`). Not case-sensitive.'),
  policy_ids: z
    .array(PolicyId)
    .max(500)
    .describe('The vault accepts only assets of these policies; any policy if empty')
    .default([]),
  valuation_type: CaseInsensitive(valuationTypes).describe(
    'FIXED: the value of an asset is its price when its transaction is sent. LBE: its price when the asset window closed. In any case',
  ),
  floor_price_percentage: Percentage(1, 100)
    .describe('Percentage of the market price of an asset that counts as its value')
    .default(100),
  max_share: Percentage(1, 100)
    .describe(
      'Largest share of the value of the vault that the assets of one policy may have, in percent. What is above it does not ' +
        'count, so a vault of few policies may count nothing: at 50, at least two of them are needed. An asset that would count with ' +
        'less than 80 % of its value goes back to its owner when the vault settles',
    )
    .default(100),
  custom_prices: CustomPriceSettings.default([]),
  max_assets: z.int().min(1).max(maxAssetsPerVault).default(maxAssetsPerVault),
  asset_window_start_time: windowStart,
  asset_window_duration: DurationText.describe(durationTexts.assetWindow).optional(),
});

const InvestmentSettings = z.strictObject({
  investment_window_duration: DurationText.describe(durationTexts.investmentWindow),
  investment_start_time: windowStart,
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
    .describe(
      'The only wallets that may cosign executions, whatever they have staked; the custody script contains their key hashes. ' +
        'A year after the life of the vault they can spend its custody without its key: `custodyScript` of the vault says when',
    )
    .optional(),
  required_cosigners: requiredCosigners(1, 'Default: 1. At most the number of `cosigners`.'),
  staking_addresses: z
    .array(AddressText)
    .max(20)
    .describe('The only addresses where proposals may stake assets of the vault')
    .optional(),
});

const Termination = z.strictObject({
  type: CaseInsensitive(['DAO', 'PROGRAMMED'])
    .describe('DAO: by an executed proposal to liquidate. PROGRAMMED: `duration` after the vault was locked')
    .default('DAO'),
  fdp: Percentage(0, 100).describe('Floor price deviation in percent; 0 for none').default(0),
  duration: DurationText.describe('Required for PROGRAMMED and refused for DAO; 1 hour to 10 years').optional(),
  remaining_assets_to: AddressText.describe(
    'Wallet that gets the assets that are left when the claims are over, unless the decision to liquidate names one. Nobody by default: ' +
      'what is unsold by then stays in custody for good. Whoever is named gains by each sale that fails while holders claim, also by votes of their own',
  ).optional(),
  unclaimed_lovelace_to: AddressText.describe(
    'Wallet that gets the ADA that nobody claims, unless the decision to liquidate names one; nobody by default',
  ).optional(),
  claim_duration: DurationText.describe(
    'How long holders can claim: 7 to 365 days; 90 days by default. If the vault still has assets then, and it is shorter, ' +
      'as long as the phases of a proposal and 14 days',
  ).optional(),
});

const Whitelist = (actionText: string) =>
  z
    .array(AddressText)
    .max(1000)
    .describe(
      `PRIVATE: the wallets besides the admin that may ${actionText}. SEMI_PRIVATE: the only wallets that may ` +
        `${actionText}; any wallet if empty. PUBLIC: not used`,
    )
    .default([]);

/** Body of POST /vaults: the spec's fields, and the additive ones of design D9. */
export const CreateVault = z
  .strictObject({
    vault_name: visibleText(100, 1),
    vault_type: TypeName.describe(
      `${vaultTypes.join(', ')}, or the name of a registered type (\`GET /api/v1/vault-types\`). Not case-sensitive. Required, unless ` +
        '`privacy_type` is given',
    ).optional(),
    privacy_type: TypeName.describe('Another name of `vault_type`; if both are given, they must agree').optional(),
    admin_user: z.strictObject({ wallet_address: AddressText, email: AdminEmail.optional() }),
    asset_settings: AssetSettings,
    investment_settings: InvestmentSettings,
    governance_settings: GovernanceSettings,
    termination: Termination.describe(
      'How the vault is to end. An executed proposal to liquidate ends every vault',
    ).default({ type: 'DAO', fdp: 0 }),
    contributor_whitelist: Whitelist('contribute'),
    investor_whitelist: Whitelist('invest'),
    metadata: FreeForm.default({}),
  })
  // One of the two names is enough, which `required` alone cannot express.
  .meta({ id: 'CreateVault', anyOf: [{ required: ['vault_type'] }, { required: ['privacy_type'] }] });

export type VaultRequest = z.output<typeof CreateVault>;
