import { z } from 'zod';
import type { WriteRules } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import type { ApiContext } from '../../api-context.ts';
import { maxAssetsPerVault } from '../../assets/rules/asset.ts';
import {
  durationTexts,
  investmentTexts,
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
import { composed, unseenProblem } from '../../platform/units/visible-text.ts';
import { phaseDurations, requiredCosigners, vaultThresholds } from '../../proposals/routes/request.ts';
import { exampleWallet } from '../../transactions/routes/examples.ts';
import { valuationTypes, vaultTypes } from '../../types/rules.ts';
import { findWindows } from '../queries/windows.ts';
import { vaultLocks } from './response.ts';
import { CustomPriceSettings } from './custom-prices.ts';
import { changeDeadlines } from '../rules/windows.ts';

/** A request that is valid in every deployment at any time. */
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

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;

const tooBig = {
  error: 'Must be at most 10,000 characters of JSON, at most ten levels deep, with numbers that need no exponent.',
  params: { code: 'TOO_BIG' },
  abort: true,
};

/** Free-form JSON that the creator stores with the vault. Others read its texts and the names of its fields. */
const FreeForm = z
  .record(z.string().max(100), z.unknown())
  .refine(isSmall, tooBig)
  .refine(hasDistinctNames, { error: 'Two fields of one object have the same name, written differently.', abort: true })
  .overwrite((value) => withTexts(value, composed) as Record<string, unknown>)
  // Composed, some texts are longer.
  .refine(isSmall, tooBig)
  .check(({ value, issues }) => {
    withTexts(value, (text, path) => {
      const message = unseenProblem(text, { isMultiLine: true });
      if (message !== undefined)
        issues.push({ code: 'custom', input: value, path: [...path], message, params: { code: 'INVALID_TEXT' } });
      return text;
    });
  });

function isSmall(value: unknown): boolean {
  return isBounded(value, MAX_DEPTH) && JSON.stringify(value).length <= MAX_CHARACTERS;
}

function hasDistinctNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const names = Object.keys(value);
  return new Set(names.map(composed)).size === names.length && Object.values(value).every(hasDistinctNames);
}

/** Postgres writes numbers without an exponent: each would have three hundred digits for every reader of the vault. */
function isBounded(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return levels >= 0 && /^-?[\d.]+$/.test(String(value));
  if (typeof value !== 'object' || value === null) return levels >= 0;
  return levels >= 0 && Object.values(value).every((inner) => isBounded(inner, levels - 1));
}

/** The same JSON with each text, and each name of a field, as `change` returns it. */
function withTexts(
  value: unknown,
  change: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((inner, index) => withTexts(inner, change, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => {
    const at = [...path, name];
    return [change(name, at), withTexts(inner, change, at)];
  });
  return Object.fromEntries(fields) as unknown;
}

/** Personal data: stored encrypted, and nowhere else. */
export const AdminEmail = z.email().max(254);

const windowStart = StartText.describe('Start of the window. Default: now. At most 365 days in the future.').optional();

const AssetSettings = z.strictObject({
  allowed_asset_types: z
    .array(TypeName)
    .min(1)
    .max(10)
    .describe('`NFT`, `CNT` and names of registered types (`GET /api/v1/asset-types`). Not case-sensitive.'),
  policy_ids: z
    .array(PolicyId)
    .max(500)
    .describe('Policies of accepted assets. If empty, the vault accepts any policy.')
    .default([]),
  valuation_type: CaseInsensitive(valuationTypes).describe(
    'FIXED: the value of an asset is its price when its transaction is submitted. LBE: its price when the asset ' +
      'window closes. Not case-sensitive.',
  ),
  floor_price_percentage: Percentage(1, 100)
    .describe('Percentage of the market price of an asset that counts as its value.')
    .default(100),
  max_share: Percentage(1, 100)
    .describe(
      "Maximum share of the vault's value that the assets of one policy can have, in percent. Value above it " +
        "does not count. With 50, a vault needs assets of at least two policies. If less than 80 % of an asset's " +
        'value would count, the settlement returns it to its owner.',
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
  lp_percentage: Percentage(1, 20).describe(`${investmentTexts.liquidity} At most twice \`ft_percentage\`.`),
  ft_percentage: Percentage(1, 100).describe(investmentTexts.investors).default(50),
});

const GovernanceSettings = z.strictObject({
  ...vaultThresholds,
  ...phaseDurations,
  cosigners: z
    .array(AddressText)
    .max(20)
    .describe(
      'The only wallets that can cosign executions, independent of their stakes. The custody script contains ' +
        'their key hashes. A year after the life of the vault, they can spend its custody without its key: see ' +
        '`custodyScript` of the vault.',
    )
    .optional(),
  required_cosigners: requiredCosigners(1, 'Default: 1. At most the number of `cosigners`.'),
  staking_addresses: z
    .array(AddressText)
    .max(20)
    .describe('The only addresses where proposals can stake assets of the vault.')
    .optional(),
});

const Termination = z.strictObject({
  type: CaseInsensitive(['DAO', 'PROGRAMMED'])
    .describe('DAO: by an executed proposal to liquidate. PROGRAMMED: `duration` after the vault was locked.')
    .default('DAO'),
  fdp: Percentage(0, 100).describe('Floor price deviation in percent. 0 for none.').default(0),
  duration: DurationText.describe('Required for PROGRAMMED, not allowed for DAO. 1 hour to 10 years.').optional(),
  remaining_assets_to: AddressText.describe(
    'Wallet that gets the assets that remain after the claims, unless the decision to liquidate names one. ' +
      'Default: none, and unsold assets stay in custody permanently. Note that this wallet profits if sales fail ' +
      'while holders claim, and it can vote against them.',
  ).optional(),
  unclaimed_lovelace_to: AddressText.describe(
    'Wallet that gets the unclaimed ADA, unless the decision to liquidate names one. Default: none.',
  ).optional(),
  claim_duration: DurationText.describe(
    'Time for holders to claim. 7 to 365 days, default 90 days. If the vault still has assets when claims open, ' +
      'at least the phases of a proposal and 22 days.',
  ).optional(),
});

const Whitelist = (actionText: string) =>
  z
    .array(AddressText)
    .max(1000)
    .describe(
      `PRIVATE: wallets that may ${actionText}, in addition to the admin. SEMI_PRIVATE: the only wallets that ` +
        `may ${actionText}, or any wallet if empty. PUBLIC: not used.`,
    )
    .default([]);

/** Body of POST /vaults: the spec's fields, and the additive ones of design D9. */
export const CreateVault = z
  .strictObject({
    vault_name: visibleText(100, 1),
    vault_type: TypeName.describe(
      `${vaultTypes.join(', ')}, or the name of a registered type (\`GET /api/v1/vault-types\`). Not ` +
        'case-sensitive. Required, unless `privacy_type` is given.',
    ).optional(),
    privacy_type: TypeName.describe('Another name of `vault_type`. If you send both, they must agree.').optional(),
    admin_user: z.strictObject({ wallet_address: AddressText, email: AdminEmail.optional() }),
    asset_settings: AssetSettings,
    investment_settings: InvestmentSettings,
    governance_settings: GovernanceSettings,
    termination: Termination.describe(
      'How the vault is to end. In addition, an executed proposal to liquidate ends every vault.',
    ).default({ type: 'DAO', fdp: 0 }),
    contributor_whitelist: Whitelist('contribute'),
    investor_whitelist: Whitelist('invest'),
    metadata: FreeForm.default({}),
  })
  // One of the two names is enough, which `required` alone cannot express.
  .meta({ id: 'CreateVault', anyOf: [{ required: ['vault_type'] }, { required: ['privacy_type'] }] });

export type VaultRequest = z.output<typeof CreateVault>;

/** The rules for changing a vault. It must not come too late only because it waits for its batch. */
export async function vaultRules(
  { db, readingTime }: Pick<ApiContext, 'db' | 'readingTime'>,
  vaultId: string,
): Promise<WriteRules> {
  const [windows, now] = await Promise.all([findWindows(db, vaultId), readingTime()]);
  return { locks: vaultLocks(vaultId), maxWaitMs: maxWaitMsBefore(windows ? changeDeadlines(windows) : [], now) };
}
