import { z } from 'zod';
import { findVaultDetail, MAX_TRANSACTIONS, type VaultDetail } from '../read-vault.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { apiVersion } from '../../versions/rules/releases.ts';
import { NameList, selectFields } from '../../platform/http/selection.ts';
import { CustodyScript, presentCustodyScript } from './custody-script.ts';
import { expandVault, ExpandedLists, expansions } from './expand-vault.ts';
import { requirePermission } from '../../platform/http/check-permission.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { presentSettlement, SettlementPlan } from '../../settlement/routes/response.ts';
import { presentTransactionSummary, TransactionSummary } from '../../transactions/routes/resource.ts';
import { VaultResource } from './resource.ts';
import { presentVault } from './response.ts';

const VaultFields = VaultResource.extend({
  settlement: SettlementPlan.nullable().describe(
    '`null` until the settlement is planned, and if the vault failed before',
  ),
  transactions: z
    .array(TransactionSummary)
    .describe(
      `The transactions of the vault except anchors, oldest first. If there are more than ${MAX_TRANSACTIONS}, the ` +
        'oldest ones that wallets sign are left out',
    ),
  custodyScript: CustodyScript,
  adminEmail: z
    .string()
    .nullable()
    .describe('Present only for the role ADMIN; `null` if the creator gave no email')
    .optional(),
});

const fieldNames = Object.keys(VaultFields.shape) as [VaultField, ...VaultField[]];
type VaultField = keyof typeof VaultFields.shape;

const expanded = ExpandedLists.describe('The lists that `expand` names; absent if it names none').optional();
const VaultDetailResource = VaultFields.extend({ expanded }).meta({ id: 'VaultDetail' });
const VaultSelection = VaultDetailResource.partial().meta({
  id: 'VaultSelection',
  description: 'The fields of a vault that `fields` names',
});

const VaultRead = z
  .union([VaultDetailResource, VaultSelection])
  .describe('The vault; with `fields` only the named fields, and `expanded`');

/** The response format has one version in each major version of the API. */
const ResponseVersion = z.enum(['v1', apiVersion]);

const permission = { resource: 'vault', action: 'READ', attributes: 'per row' } as const;

export const getVaultRoute = route({
  method: 'get',
  path: '/vaults/:vaultId',
  operationId: 'readVault',
  specified: true,
  summary: 'Read a vault: its terms, state, allowed actions, settlement and transactions',
  description:
    '`allowedActions` says for each action whether it is open now, and otherwise the error code that it would be ' +
    'refused with. `overdueSeconds` says how late a due change is, and `holds` what delays it.',
  permission,
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    fields: NameList(fieldNames)
      .optional()
      .describe('Fields to return, repeated or separated by commas. Default: all.'),
    expand: NameList(expansions)
      .optional()
      .describe('Lists whose first page to return in `expanded`. Each needs the permission of its own operation.'),
    version: ResponseVersion.optional().describe('Version of the response format. Default: the current one.'),
  }),
  responses: { 200: Enveloped(VaultRead) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query: { fields, expand = [] }, ...scope }, context) {
    const detail = await findVaultDetail(context, scope.caller, vaultId);
    requirePermission(permission, scope.caller, detail ? { status: detail.view.vault.status } : {});
    if (!detail) throw new ServiceError('VAULT_NOT_FOUND');
    const { now } = detail.view;
    const data = selectFields(presentVaultDetail(detail), fields);
    const showsEmail = typeof data.adminEmail === 'string';
    const personal = showsEmail && { personalDataOf: { type: 'vault', id: vaultId } };
    const expanded = expand.length > 0 && { expanded: await expandVault(context, vaultId, expand, scope) };
    return { ...ok(enveloped({ ...data, ...expanded }, now)), ...personal };
  },
});

/** The fields of a vault as `readVault` returns them. */
export function presentVaultDetail({ view, settlement, transactions, tip, adminEmail }: VaultDetail) {
  return {
    ...presentVault(view),
    settlement: settlement && presentSettlement(settlement),
    transactions: transactions.map((transaction) => presentTransactionSummary(transaction, tip)),
    custodyScript: presentCustodyScript(view.vault),
    ...(adminEmail !== undefined && { adminEmail }),
  };
}
