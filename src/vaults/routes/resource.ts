import { z } from 'zod';
import { AssetTypeName } from '../../assets/schemas.ts';
import { RefusalCode, Timestamp } from '../../platform/http/fields.ts';
import { GovernanceFields } from '../../proposals/routes/resource.ts';
import { TerminationFields } from '../../termination/schemas.ts';
import { admin } from '../../transactions/routes/examples.ts';
import { AcceptedTypes, VaultTypeRuleFields } from '../../types/schemas.ts';
import { CustomPriceResource, customPricesText } from './custom-prices.ts';
import {
  HoldReasonEnum,
  ValuationTypeEnum,
  VaultActionEnum,
  VaultPhaseEnum,
  VaultStatusEnum,
  VaultTypeName,
} from './enums.ts';
import { FractionalizationFields, InvestmentFields } from './terms-response.ts';
import { WindowFields } from './window-response.ts';

// Recorded on a development stack.

const vaultFields = {
  id: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  name: 'Harbour Loft',
  contractAddress: 'addr_test1wpzwp83e6r6l89ue66pnp6q5xxzawawcusf3vgl7e0rv6gg7sfylu',
  type: 'PUBLIC',
  status: 'LOCKED',
  phase: 'governance',
  phaseEndsAt: null,
  overdueSeconds: 0,
  serverTime: '2026-11-28T19:56:51.396Z',
  holds: [],
  allowedActions: [
    { action: 'addAsset', allowed: false, reason: 'ASSET_WINDOW_CLOSED' },
    { action: 'removeAsset', allowed: false, reason: 'ASSET_WINDOW_CLOSED' },
    { action: 'invest', allowed: false, reason: 'INVESTMENT_WINDOW_CLOSED' },
    { action: 'stake', allowed: true, reason: null },
    { action: 'propose', allowed: true, reason: null },
    { action: 'claim', allowed: false, reason: 'CLAIMS_NOT_OPEN' },
    { action: 'rotate', allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' },
    { action: 'changeAllowList', allowed: true, reason: null },
    { action: 'changeSettings', allowed: true, reason: null },
    { action: 'cancel', allowed: false, reason: 'VAULT_NOT_CANCELLABLE' },
    { action: 'delete', allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' },
  ],
  assetTypes: ['NFT', 'CNT'],
  investorListEnabled: false,
  assetWindow: {
    startTime: '2026-11-22T19:54:07.200Z',
    endTime: '2026-11-23T19:54:07.200Z',
    duration: '01:00:00',
    status: 'COMPLETED',
  },
  investmentWindow: {
    startTime: '2026-11-22T19:54:07.200Z',
    endTime: '2026-11-23T19:54:07.200Z',
    duration: '01:00:00',
    status: 'COMPLETED',
    valuationType: 'LBE',
  },
  fractionalization: {
    percentage: 50,
    tokenSupply: 1000000,
    tokenSupplyBaseUnits: '1000000000000',
    tokenDecimals: 6,
    tokenAddress: '109a900326615db4574e03a79fbd1949875265b53e6209a4a321b0720014df10486172626f7572204c6f6674',
  },
  investment: { reserve: 20, liquidityPool: 10 },
  governance: {
    creationThreshold: 1,
    startThreshold: 5,
    voteThreshold: 10,
    executionThreshold: 51,
    cosigningThreshold: 10,
    votingDuration: null,
    lockDuration: null,
    executionDuration: null,
    requiredCosigners: 1,
    cosignerKeyHashes: [],
    stakingAddresses: [],
  },
  termination: {
    type: 'DAO',
    fdp: 0,
    duration: null,
    reason: null,
    steps: [],
    pot: null,
    claimDeadline: null,
    remainingAssets: [],
    remainingAssetsTo: null,
    unclaimedAdaTo: null,
    endedBecause: null,
  },
  settlesBy: '2026-11-30T19:54:07.200Z',
  cancelRequestedAt: null,
  creationConfirmedAt: '2026-11-22T19:54:08.125Z',
  lockedAt: '2026-11-23T19:54:10.058Z',
  terminatedAt: null,
  createdBy: admin,
  createdAt: '2026-11-22T19:54:07.200Z',
  updatedAt: '2026-11-23T19:54:10.058Z',
  metadata: {
    city: 'Rotterdam',
    assetSettings: { floorPricePercentage: 100, maxShare: 100, maxAssets: 100, countedAssets: 2 },
  },
};

const priceSources = ['market', 'admin'];

const vaultExample = {
  ...vaultFields,
  assetWhitelist: [],
  contributorWhitelist: [],
  investorWhitelist: [],
  customPrices: [],
  typeRules: {
    readers: 'anyone',
    contributors: 'anyone',
    investors: 'anyone',
    valuationTypes: ['FIXED', 'LBE'],
    assetTypes: [],
  },
  assetTypeRules: [
    { name: 'NFT', base: 'NFT', minQuantity: 1, maxQuantity: 1, priceSources },
    { name: 'CNT', base: 'CNT', minQuantity: 1, maxQuantity: 1_000_000, priceSources },
  ],
};

const listedVaultExample = { ...vaultFields, whitelistCounts: { assets: 0, contributors: 0, investors: 0 } };

const phaseEndText =
  'End of the phase, or `null` if no time limit ends it.\n\n' +
  '- Before the end of the windows: the next start or end of a window.\n- finality and settlement: `settlesBy`, at ' +
  'the latest.\n- governance: the programmed end.\n- terminating: `termination.claimDeadline`.';

/** What a vault is read as, alone and in lists. */
const VaultFields = z.object({
  id: z.uuid(),
  name: z.string(),
  contractAddress: z.string().describe('Custody address. It holds the assets of the vault after the settlement.'),
  type: VaultTypeName,
  status: VaultStatusEnum,
  phase: VaultPhaseEnum,
  phaseEndsAt: Timestamp.nullable().describe(phaseEndText),
  overdueSeconds: z.int().describe('Delay of a due change, in seconds. 0 if nothing is late.'),
  serverTime: Timestamp.describe('Time for which windows and phases were computed.'),
  holds: z
    .array(z.object({ reason: HoldReasonEnum, since: Timestamp.describe('Time at which the vault began to wait.') }))
    .describe('Reasons that delay a due change of the vault. Usually empty.'),
  allowedActions: z
    .array(
      z.object({
        action: VaultActionEnum,
        allowed: z.boolean().describe('Whether you can take the action now, if the vault alone decides.'),
        reason: RefusalCode.nullable().describe('Error code that you would get. `null` if the action is allowed.'),
      }),
    )
    .describe('Every action on the vault.'),
  assetTypes: z.array(AssetTypeName),
  investorListEnabled: z
    .boolean()
    .describe('Whether `investorWhitelist` applies. `false`: any wallet that may read may invest.'),
  assetWindow: WindowFields,
  investmentWindow: WindowFields.extend({ valuationType: ValuationTypeEnum }),
  fractionalization: FractionalizationFields,
  investment: InvestmentFields,
  governance: GovernanceFields,
  termination: TerminationFields,
  settlesBy: Timestamp.describe(
    'Settlement deadline. From then on, owners can take back unsettled deposits without the platform.',
  ),
  cancelRequestedAt: Timestamp.nullable().describe('`null` unless the admin cancelled the vault.'),
  creationConfirmedAt: Timestamp.nullable().describe(
    'Time of the block of the transaction that creates the vault. `null` while it is in no block.',
  ),
  lockedAt: Timestamp.nullable().describe('Time at which the vault was settled. `null` before.'),
  terminatedAt: Timestamp.nullable().describe('Time at which the vault ended. `null` before.'),
  createdBy: z.string().describe('Wallet address of the admin.'),
  createdAt: Timestamp,
  updatedAt: Timestamp.describe(
    'Time at which the status, a setting or an allow-list last changed, or the end of the vault was decided.',
  ),
  metadata: z
    .looseObject({
      assetSettings: z.object({
        floorPricePercentage: z
          .number()
          .describe('Percentage of the market price of an asset that counts as its value.'),
        maxShare: z
          .number()
          .describe("Maximum share of the vault's value that the assets of one policy count with, in percent."),
        maxAssets: z.int().describe('Maximum number of assets.'),
        countedAssets: z
          .int()
          .describe('Used part of `maxAssets`: assets in the vault, and assets whose transaction is signed.'),
      }),
    })
    .describe('`metadata` of the creation request, and `assetSettings`.'),
});

/** The spec's Vault resource with the additive fields of the design. */
export const VaultResource = VaultFields.extend({
  assetWhitelist: z.array(z.string()).describe('Policy IDs of accepted assets. Any policy if empty.'),
  contributorWhitelist: z.array(z.string()).describe('Wallet addresses. `type` says how the list is used.'),
  investorWhitelist: z.array(z.string()).describe('Wallet addresses. `type` says how the list is used.'),
  customPrices: z.array(CustomPriceResource).describe(customPricesText),
  typeRules: VaultTypeRuleFields.describe("Rules of the vault's type when the vault was created."),
  assetTypeRules: AcceptedTypes.describe('Rules of its `assetTypes` when the vault was created.'),
}).meta({ id: 'Vault', examples: [vaultExample] });

/** A vault in a list. Its whitelists may be long, so they are left out. */
export const ListedVaultResource = VaultFields.extend({
  whitelistCounts: z
    .object({
      assets: z.int().describe('Number of accepted policy IDs. 0: any policy.'),
      contributors: z.int().describe('Number of wallets on `contributorWhitelist`.'),
      investors: z.int().describe('Number of wallets on `investorWhitelist`.'),
    })
    .describe('Lengths of the whitelists. The vault itself lists their entries.'),
}).meta({ id: 'ListedVault', examples: [listedVaultExample] });
