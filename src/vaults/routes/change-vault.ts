import { z } from 'zod';
import type { Caller } from '../../access/rules.ts';
import type { AnchoringContext } from '../../anchoring/anchors.ts';
import { type ApiContext, route } from '../../api-context.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import type { FieldProblem } from '../../platform/error-registry.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Precondition } from '../../platform/http/bodies.ts';
import { enveloped, Enveloped } from '../../platform/http/envelope.ts';
import {
  AddressText,
  CaseInsensitive,
  parsed,
  Percentage,
  ResourceId,
  PolicyId,
  Timestamp,
} from '../../platform/http/fields.ts';
import type { Idempotency, RecordedResponse } from '../../platform/http/idempotency.ts';
import { ok, noContent } from '../../platform/http/route.ts';
import { recordOnce, runOnce } from '../../platform/http/run-once.ts';
import { type Instant, isoText } from '../../platform/units/time.ts';
import { parsePercentage } from '../../platform/units/money.ts';
import { exampleWallet } from '../../transactions/routes/examples.ts';
import { inSpecForm, presentAnchored, SpecTransaction } from '../../transactions/routes/response.ts';
import { valuationTypes } from '../../types/rules.ts';
import { changeSettings, changeAllowList, changeAdminEmail } from '../change-vault.ts';
import { readVault } from '../read-vaults.ts';
import { vaultOwnershipAttributes } from '../require-vault.ts';
import { CustomPrices, parseCustomPrices } from './custom-prices.ts';
import { AllowListTypeEnum } from './enums.ts';
import { addressesOf, parseWalletList } from './parse-vault.ts';
import { presentVaultDetail } from './read-vault.ts';
import { vaultRules, AdminEmail } from './request.ts';
import { VaultResource } from './resource.ts';
import { presentChangedVault } from './response.ts';
import { type AllowListChange, allowListOperations, allowListTypes } from '../rules/access.ts';
import type { SettingsChange } from '../rules/settings.ts';

/** A list of 1,000 addresses is 110 kB. */
const LIST_BODY_LIMIT = 150_000;

const vaultChangeErrors = [
  'VAULT_NOT_FOUND',
  'VAULT_ALREADY_ENDED',
  'SETTING_NOT_CHANGEABLE',
  'FREE_ACTIONS_USED_UP',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'SERVICE_NOT_READY',
] as const;

interface VaultChangeRequest {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly idempotency: Idempotency;
  readonly precondition: Precondition;
}

/** Changes a vault once, and only if it is as the caller has read it: its batch keeps others from changing it meanwhile. */
async function recordVaultChange<Response extends RecordedResponse>(
  api: ApiContext,
  { vaultId, caller, idempotency, precondition }: VaultChangeRequest,
  change: (context: AnchoringContext) => Promise<Response>,
): Promise<Response> {
  const rules = await vaultRules(api, vaultId);
  return recordOnce(api, { idempotency, ...rules }, async (context) => {
    const { tx: db, now } = context;
    await precondition.requireUnchanged(async () => {
      const reading = { db, encryption: api.encryption, readingTime: () => Promise.resolve(now) };
      return enveloped(presentVaultDetail(await readVault(reading, caller, vaultId)), now);
    });
    return change(context);
  });
}

const percentageMessage = 'Must be a percentage from 0 to 100 with at most two decimals, as text or as a number.';

const Fdp = z
  .union(
    [Percentage(0, 100), z.string().regex(/^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)$/, percentageMessage)],
    percentageMessage,
  )
  .describe(
    'Floor price deviation in percent, with at most two decimals. 0 for none. Fixed a day before the asset window closes.',
  );

const ChangeSettings = z
  .strictObject({
    investorAllowList: z
      .strictObject({
        enabled: z.boolean().describe('`false`: the list is kept but not applied.').optional(),
        addresses: z.array(AddressText).max(1000).describe('The whole list. Replaces `investorWhitelist`.').optional(),
      })
      .optional(),
    valuationType: CaseInsensitive(valuationTypes)
      .describe('FIXED or LBE. You can change it until the asset window opens.')
      .optional(),
    customPrices: CustomPrices.optional(),
    termination: z.strictObject({ fdp: Fdp.optional() }).optional(),
  })
  .refine((settings) => Object.keys(settings).length > 0, 'Name at least one setting.')
  .meta({ id: 'ChangeSettings' });

export const changeSettingsRoute = route({
  method: 'patch',
  path: '/vaults/:vaultId',
  operationId: 'changeVaultSettings',
  kind: 'batched change',
  specified: true,
  summary: 'Change the settings of a vault',
  description:
    'Changes the investor list, valuation type, custom prices or floor price deviation. Allowed for the admin of ' +
    'the vault, and with the permission `vault:UPDATE`. Fields that you omit keep their value. Removing a wallet ' +
    'from the list does not affect its existing deposits.\n\n' +
    'You can change `valuationType` and `customPrices` until the asset window opens. Until one day before the ' +
    'asset window closes (or its middle, if it is shorter than two days), you can change everything else. Later ' +
    'you can only add wallets or switch the list off, so that contributors have time to withdraw. A late change ' +
    'fails with `SETTING_NOT_CHANGEABLE`.',
  success: 'The current vault, and the transaction that anchors the change',
  examples: { settings: { investorAllowList: { enabled: true, addresses: [] }, termination: { fdp: '12.50' } } },
  permission: { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  conditional: true,
  body: ChangeSettings,
  bodyLimit: LIST_BODY_LIMIT,
  responses: { 200: Enveloped(VaultResource.extend({ transaction: SpecTransaction })) },
  errors: vaultChangeErrors,
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency, precondition }, api) {
    const change = parseChange(body, { networkId: api.networkId, now: await api.readingTime() });
    return recordVaultChange(api, { vaultId, caller, idempotency, precondition }, async (context) => {
      const anchored = await changeSettings(context, api, { vaultId, caller, correlationId }, change);
      const transaction = inSpecForm(presentAnchored(anchored));
      return ok(await presentChangedVault(context, { vaultId, caller }, transaction));
    });
  },
});

function parseChange(
  { investorAllowList, valuationType, customPrices, termination }: z.output<typeof ChangeSettings>,
  { networkId, now }: { readonly networkId: NetworkId; readonly now: Instant },
): SettingsChange {
  const { addresses = [], enabled } = investorAllowList ?? {};
  const list = parseWalletList(addresses, 'investorAllowList.addresses', networkId);
  const custom = parseCustomPrices(customPrices ?? [], { field: 'customPrices', nameField: 'assetName', now });
  const problems = [...list.problems, ...custom.problems];
  if (problems.length > 0) throw new ServiceError('INVALID_REQUEST', { errors: problems });
  return {
    investorListEnabled: enabled,
    investorWhitelist: investorAllowList?.addresses && addressesOf(list.wallets),
    valuationType,
    customPrices: customPrices && custom.prices,
    fdp: termination?.fdp === undefined ? undefined : parsed(parsePercentage(termination.fdp)),
  };
}

const ChangeAllowList = z
  .strictObject({
    type: CaseInsensitive(allowListTypes).describe(
      'ASSET: policy IDs of accepted assets. CONTRIBUTOR, INVESTOR: wallet addresses. Not case-sensitive.',
    ),
    operation: CaseInsensitive(allowListOperations),
    addresses: z.array(AddressText).min(1).max(1000).describe('Wallet addresses. For ASSET: policy IDs in hex.'),
  })
  .meta({ id: 'ChangeAllowList' });

const AllowListChanged = z.object({
  status: z.literal('success'),
  data: z.object({
    updatedAllowList: z.object({
      type: AllowListTypeEnum,
      count: z.int().describe('Number of entries after the change.'),
      lastUpdated: Timestamp.describe('Time of this change.'),
    }),
    transactionHash: z.string().describe('Hash of the transaction that anchors the change.'),
    transaction: SpecTransaction,
  }),
});

export const changeAllowListRoute = route({
  method: 'patch',
  path: '/vaults/:vaultId/allowlist',
  operationId: 'changeAllowList',
  kind: 'batched change',
  specified: true,
  summary: 'Change an allow-list of a vault',
  description:
    'Adds or removes entries of `assetWhitelist`, `contributorWhitelist` or `investorWhitelist`. Allowed for the ' +
    'admin of the vault, and with the permission `vault:UPDATE`. Existing deposits are not affected. Repeated ' +
    'additions and removals are not an error.\n\n' +
    'An empty list accepts any policy and, unless the vault is PRIVATE, any wallet.\n\n' +
    'From one day before the asset window closes (or its middle, if it is shorter than two days), you cannot ' +
    'remove investors or accept more policies, so that contributors have time to withdraw. You can add policies ' +
    'again when the window has closed.',
  success: 'The list has changed, and the change is anchored',
  permission: { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  conditional: true,
  examples: { investor: { type: 'INVESTOR', operation: 'ADD', addresses: [exampleWallet] } },
  body: ChangeAllowList,
  bodyLimit: LIST_BODY_LIMIT,
  responses: { 200: AllowListChanged },
  errors: vaultChangeErrors,
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency, precondition }, api) {
    const change = parseListChange(body, api.networkId);
    return recordVaultChange(api, { vaultId, caller, idempotency, precondition }, async (context) => {
      const changed = await changeAllowList(context, api, { vaultId, caller, correlationId }, change);
      const updatedAllowList = { type: change.type, count: changed.count, lastUpdated: isoText(context.now) };
      const { transactionHash } = changed;
      const data = { updatedAllowList, transactionHash, transaction: inSpecForm(presentAnchored(changed)) };
      return ok({ status: 'success', data } as const);
    });
  },
});

function parseListChange(
  { type, operation, addresses }: z.output<typeof ChangeAllowList>,
  networkId: NetworkId,
): AllowListChange {
  const { entries, problems } = type === 'ASSET' ? parsePolicies(addresses) : parseWallets(addresses, networkId);
  if (problems.length > 0) throw new ServiceError('INVALID_REQUEST', { errors: problems });
  return { type, operation, entries };
}

function parseWallets(addresses: readonly string[], networkId: NetworkId) {
  const { wallets, problems } = parseWalletList(addresses, 'addresses', networkId);
  return { entries: addressesOf(wallets), problems };
}

function parsePolicies(addresses: readonly string[]) {
  const parsed = addresses.map((text) => PolicyId.safeParse(text));
  const problems = parsed.flatMap(({ success }, index): FieldProblem[] =>
    success
      ? []
      : [{ code: 'INVALID_FORMAT', message: 'A policy ID is 28 bytes in hex.', field: `addresses.${index}` }],
  );
  return { entries: [...new Set(parsed.flatMap(({ data }) => data ?? []))], problems };
}

const permission = { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes } as const;
const params = z.strictObject({ vaultId: ResourceId });

export const replaceAdminEmailRoute = route({
  method: 'put',
  path: '/vaults/:vaultId/admin-email',
  operationId: 'replaceAdminEmail',
  summary: "Change a vault admin's email address",
  description:
    'Stores the address encrypted. It is never written to the ledger or the logs, so there is no transaction. ' +
    'Allowed for the admin of the vault, and with the permission `vault:UPDATE`.',
  success: 'The address is stored. The response does not contain it.',
  permission,
  params,
  examples: { address: { email: 'admin@harbour.example' } },
  body: z.strictObject({ email: AdminEmail }).meta({ id: 'ReplaceAdminEmail' }),
  responses: { 200: Enveloped(z.object({ vaultId: z.uuid() })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, body: { email }, caller, idempotency }, context) {
    return runOnce(context, idempotency, async (transaction) => {
      await changeAdminEmail(transaction, context, { vaultId, email, caller });
      // An idempotency record keeps this response, so the address is not in it.
      return ok(enveloped({ vaultId }, transaction.now));
    });
  },
});

export const eraseAdminEmailRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/admin-email',
  operationId: 'eraseAdminEmail',
  summary: "Erase a vault admin's email address",
  description:
    'Allowed for the admin of the vault, and with the permission `vault:UPDATE`. Erasing a missing address changes nothing.',
  success: 'The address is erased',
  permission,
  params,
  responses: { 204: null },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, caller, idempotency }, context) {
    return runOnce(context, idempotency, async (transaction) => {
      await changeAdminEmail(transaction, context, { vaultId, email: null, caller });
      return noContent();
    });
  },
});
