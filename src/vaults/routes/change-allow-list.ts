import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';
import { isoText } from '../../platform/units/instant.ts';
import { type AllowListChange, allowListOperations, allowListTypes } from '../rules/allow-list.ts';
import { changeAllowList } from '../change-allow-list.ts';
import { vaultOwnershipAttributes } from '../vault-access.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { exampleWallet } from '../../transactions/routes/example-wallet.ts';
import { AddressText, CaseInsensitive, PolicyId, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { inSpecForm, presentAnchored, SpecTransaction } from '../../transactions/routes/response.ts';
import { AllowListTypeEnum } from './enums.ts';
import { addressesOf, parseWalletList } from './parse-wallets.ts';
import { LIST_BODY_LIMIT, recordVaultChange, vaultChangeErrors } from './record-vault-change.ts';

const ChangeAllowList = z
  .strictObject({
    type: CaseInsensitive(allowListTypes).describe(
      'ASSET: policy ids of accepted assets. CONTRIBUTOR, INVESTOR: wallet addresses. In any case',
    ),
    operation: CaseInsensitive(allowListOperations),
    addresses: z.array(AddressText).min(1).max(1000).describe('Wallet addresses; for ASSET policy ids in hex'),
  })
  .meta({ id: 'ChangeAllowList' });

const AllowListChanged = z.object({
  status: z.literal('success'),
  data: z.object({
    updatedAllowList: z.object({
      type: AllowListTypeEnum,
      count: z.int().describe('Entries of the list after the change'),
      lastUpdated: Timestamp.describe('Time of this change'),
    }),
    transactionHash: z.string().describe('Hash of the transaction that anchors the change'),
    transaction: SpecTransaction,
  }),
});

export const changeAllowListRoute = route({
  method: 'patch',
  path: '/vaults/:vaultId/allowlist',
  operationId: 'changeAllowList',
  recordedTogether: true,
  specified: true,
  summary: 'Add entries to an allow-list of a vault, or remove them',
  description:
    'Allowed for the admin of the vault, and with permission vault:UPDATE. An entry that is already there is added once, and one ' +
    'that is not there is removed without an error. An empty list lets in any policy, and into a vault that is not PRIVATE any ' +
    'wallet. From a day before the asset window closes on, or from its middle if it is shorter than two days, investors can be ' +
    'added but not removed, and no more policies are accepted until it has closed: contributors would have no time to leave. ' +
    'What was deposited before stays. The lists are `assetWhitelist`, `contributorWhitelist` and `investorWhitelist` of the vault.',
  success: 'The list is changed, and the change is anchored',
  permission: { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  conditional: true,
  examples: { investor: { type: 'INVESTOR', operation: 'ADD', addresses: [exampleWallet] } },
  body: ChangeAllowList,
  bodyLimit: LIST_BODY_LIMIT,
  responses: { 200: AllowListChanged },
  errors: vaultChangeErrors,
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency, precondition }, api) {
    const change = parseChange(body, api.networkId);
    return recordVaultChange(api, { vaultId, caller, idempotency, precondition }, async (context) => {
      const changed = await changeAllowList(context, api, { vaultId, caller, correlationId }, change);
      const updatedAllowList = { type: change.type, count: changed.count, lastUpdated: isoText(context.now) };
      const { transactionHash } = changed;
      const data = { updatedAllowList, transactionHash, transaction: inSpecForm(presentAnchored(changed)) };
      return ok({ status: 'success', data } as const);
    });
  },
});

function parseChange(
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
    success ? [] : [{ code: 'INVALID_FORMAT', message: 'A policy id is 28 bytes in hex', field: `addresses.${index}` }],
  );
  return { entries: [...new Set(parsed.flatMap(({ data }) => data ?? []))], problems };
}
