import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { parsePercentage } from '../../platform/units/percentage.ts';
import type { SettingsChange } from '../rules/settings.ts';
import { valuationTypes } from '../../types/rules/vault-type.ts';
import { changeSettings } from '../change-settings.ts';
import { vaultOwnershipAttributes } from '../vault-access.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped } from '../../platform/http/envelope.ts';
import { AddressText, CaseInsensitive, parsed, Percentage, ResourceId } from '../../platform/http/fields.ts';
import { inSpecForm, presentAnchored, SpecTransaction } from '../../transactions/routes/response.ts';
import { presentChangedVault } from './change-response.ts';
import { CustomPrices, parseCustomPrices } from './custom-prices.ts';
import { addressesOf, parseWalletList } from './parse-wallets.ts';
import { LIST_BODY_LIMIT, recordVaultChange, vaultChangeErrors } from './record-vault-change.ts';
import { VaultResource } from './resource.ts';

const percentageMessage = 'A percentage from 0 to 100 with at most two decimals, as text or as a number';

const Fdp = z
  .union(
    [Percentage(0, 100), z.string().regex(/^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)$/, percentageMessage)],
    percentageMessage,
  )
  .describe(
    'Floor price deviation in percent, with at most two decimals; 0 for none. Fixed a day before the asset window closes',
  );

const ChangeSettings = z
  .strictObject({
    investorAllowList: z
      .strictObject({
        enabled: z.boolean().describe('false: the list is kept but not applied').optional(),
        addresses: z.array(AddressText).max(1000).describe('The whole list; replaces `investorWhitelist`').optional(),
      })
      .optional(),
    valuationType: CaseInsensitive(valuationTypes)
      .describe('FIXED or LBE; changes until the asset window opens')
      .optional(),
    customPrices: CustomPrices.optional(),
    termination: z.strictObject({ fdp: Fdp.optional() }).optional(),
  })
  .refine((settings) => Object.keys(settings).length > 0, 'Name at least one setting')
  .meta({ id: 'ChangeSettings' });

export const changeSettingsRoute = route({
  method: 'patch',
  path: '/vaults/:vaultId',
  operationId: 'changeVaultSettings',
  recordedTogether: true,
  specified: true,
  summary: 'Change settings of a vault: its investor list, valuation type, custom prices and floor price deviation',
  description:
    'Allowed for the admin of the vault, and with permission vault:UPDATE. Fields that you omit keep their value. Removing a ' +
    'wallet from the list does not affect its existing deposits. Until a day before the asset window closes, or its middle if it is shorter than ' +
    'two days, the list can be switched on and wallets can be taken from it; later it can only be switched off or get more ' +
    'wallets, because contributors would have no time to leave; `termination.fdp` is fixed from the same moment on. `valuationType` and ' +
    '`customPrices` change until the asset window opens. A change that comes too late is refused with ' +
    '`SETTING_NOT_CHANGEABLE`, which names the field; `changeSettings` of `allowedActions` says who may change settings, not which.',
  success: 'The vault as it is now, and the transaction that anchors the change',
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
