import { z } from 'zod';
import { type ApiContext, route } from '../../api-context.ts';
import { listAssetsRoute } from '../../assets/routes.ts';
import { AssetResource } from '../../assets/schemas.ts';
import { eventTypes } from '../../events/queries/event-types.ts';
import { listInvestmentsRoute } from '../../investments/routes.ts';
import { InvestmentResource } from '../../investments/schemas.ts';
import { ServiceError } from '../../platform/errors.ts';
import { requirePermission, ok, type RequestScope } from '../../platform/http/route.ts';
import {
  Pagination,
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
  NameList,
  selectFields,
} from '../../platform/http/envelope.ts';
import {
  ResourceId,
  AddressFilter,
  CaseInsensitive,
  TypeFilter,
  Timestamp,
  AmountText,
  DurationPrinted,
} from '../../platform/http/fields.ts';
import { isoText } from '../../platform/units/time.ts';
import { ProposalResource } from '../../proposals/routes/resource.ts';
import { listProposalsRoute } from '../../proposals/routes/routes.ts';
import { presentSettlement, SettlementPlan } from '../../settlement/schemas.ts';
import { listStakesRoute } from '../../staking/routes.ts';
import { StakeResource } from '../../staking/schemas.ts';
import { presentTransactionSummary, TransactionSummary } from '../../transactions/routes/resource.ts';
import { vaultTypes } from '../../types/rules.ts';
import { listActivity } from '../queries/wallet-vaults.ts';
import {
  findVaultDetail,
  MAX_TRANSACTIONS,
  type VaultDetail,
  listReadableVaults,
  readMetrics,
} from '../read-vaults.ts';
import { readerScope, vaultAttributes } from '../require-vault.ts';
import { VaultResource, ListedVaultResource } from './resource.ts';
import { CustodyScript, presentCustodyScript, presentVault, presentListedVault } from './response.ts';
import { vaultStatuses } from '../rules/vault.ts';
import { apiVersion } from '../../versions/rules.ts';

const lists = {
  assets: listAssetsRoute,
  investments: listInvestmentsRoute,
  proposals: listProposalsRoute,
  stakes: listStakesRoute,
} as const;

type Expansion = keyof typeof lists;

/** What a vault can be read with. */
const expansions = Object.keys(lists) as [Expansion, ...Expansion[]];

const page = <Item extends z.ZodType>(item: Item, path: string) =>
  z
    .object({ items: z.array(item), pagination: Pagination })
    .describe(`First page of \`GET /api/v1/vaults/{vaultId}/${path}\`. Continue with \`pagination.next\`.`)
    .optional();

const ExpandedLists = z.object({
  assets: page(AssetResource, 'assets'),
  investments: page(InvestmentResource, 'investments'),
  proposals: page(ProposalResource, 'proposals'),
  stakes: page(StakeResource, 'stakes'),
});

/** Reads the first page of each list as its own operation does, with its permission. Throws what the operation throws. */
async function expandVault(
  context: ApiContext,
  vaultId: string,
  names: readonly Expansion[],
  scope: RequestScope,
): Promise<z.input<typeof ExpandedLists>> {
  const pages = await Promise.all(
    names.map(async (name) => {
      const { body } = await lists[name].respond({ params: { vaultId }, query: {}, body: {} }, scope, context);
      return [name, firstPage(name, body as ListBody)] as const;
    }),
  );
  return Object.fromEntries(pages);
}

/** The spec's list of assets has its pagination in `data`, the additive lists in `metadata`. */
interface ListBody {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: { readonly pagination: unknown };
}

function firstPage(name: Expansion, { data, metadata }: ListBody) {
  return { items: data[name], pagination: metadata?.pagination ?? data['pagination'] };
}

const VaultFields = VaultResource.extend({
  settlement: SettlementPlan.nullable().describe(
    '`null` until the settlement is planned, and if the vault failed before.',
  ),
  transactions: z
    .array(TransactionSummary)
    .describe(
      `Transactions of the vault except anchors, oldest first. If there are more than ${MAX_TRANSACTIONS}, the ` +
        'oldest ones that wallets sign are omitted.',
    ),
  custodyScript: CustodyScript,
  adminEmail: z
    .string()
    .nullable()
    .describe('Only for the role ADMIN. `null` if the creator gave no email.')
    .optional(),
});

const fieldNames = Object.keys(VaultFields.shape) as [VaultField, ...VaultField[]];
type VaultField = keyof typeof VaultFields.shape;

const expanded = ExpandedLists.describe('Lists that `expand` names. Omitted if it names none.').optional();
const VaultDetailResource = VaultFields.extend({ expanded }).meta({ id: 'VaultDetail' });
const VaultSelection = VaultDetailResource.partial().meta({
  id: 'VaultSelection',
  description: 'Fields of a vault that `fields` names.',
});

const VaultRead = z
  .union([VaultDetailResource, VaultSelection])
  .describe('The vault. With `fields`, only the named fields and `expanded`.');

/** The response format has one version in each major version of the API. */
const ResponseVersion = z.enum(['v1', apiVersion]);

const permission = { resource: 'vault', action: 'READ', attributes: 'per row' } as const;

export const getVaultRoute = route({
  method: 'get',
  path: '/vaults/:vaultId',
  operationId: 'readVault',
  specified: true,
  summary: 'Get a vault',
  description:
    'Returns the terms, state, settlement and transactions of a vault. `allowedActions` says for each action ' +
    'whether you can take it now, and otherwise the error code you would get. `overdueSeconds` says how late a ' +
    'due change is, and `holds` explains the delay.',
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

export const listVaultsRoute = route({
  method: 'get',
  path: '/vaults',
  operationId: 'listVaults',
  summary: 'List vaults',
  description:
    'Lists the vaults that you may read. A PRIVATE vault is visible to its admin, to wallets on its whitelists, ' +
    'and to wallets with a deposit or a stake in it. It is also visible to keys with the permission ' +
    '`wallet:UPDATE`.',
  success: 'A page of vaults',
  permission: { resource: 'vault', action: 'READ', attributes: 'per row' },
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'name', 'status']),
    status: CaseInsensitive(vaultStatuses).optional(),
    type: TypeFilter(vaultTypes),
    createdBy: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ vaults: z.array(ListedVaultResource) })) },
  errors: [],
  async handle({ query, caller }, context) {
    const { status, type, createdBy } = query;
    const page = pageOf(query, 'createdAt:desc');
    const { vaults, count, now } = await listReadableVaults(context, caller, { status, type, createdBy, page });
    return ok(envelopedPage({ vaults: vaults.map(presentListedVault) }, paginationOf(query, count), now));
  },
});

/** The kinds of activity of the specification ("Events"). */
const activityTypes = ['ASSET_ADDED', 'PROPOSAL_CREATED', 'VOTE_CAST'] as const;

const Activities = z.object({
  status: z.literal('success'),
  data: z.object({
    activities: z.array(
      z.object({
        type: z.enum(eventTypes).describe(`${activityTypes.join(', ')}. With \`types=all\`: any type of event.`),
        timestamp: Timestamp.describe('Time at which it was recorded.'),
        actor: z.string().describe('Wallet address, or `platform`.'),
        details: z.looseObject({}).describe('Details: IDs, and amounts in base units.'),
        transactionHash: z.string().nullable().describe('Transaction of the event, otherwise `null`.'),
      }),
    ),
    pagination: Pagination,
  }),
});

export const listActivityRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/activity',
  operationId: 'listVaultActivity',
  specified: true,
  summary: 'List the activity of a vault',
  description:
    'Lists what happened in a vault, newest first. An added asset appears when its transaction is in a block, a ' +
    'proposal or a vote when it is recorded. Activities are kept for 400 days by default.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['timestamp']),
    type: CaseInsensitive(activityTypes).optional(),
    types: z.literal('all').describe('Use `all` to list every type of event. `type` is then ignored.').optional(),
    actor: AddressFilter.optional(),
  }),
  responses: { 200: Activities },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { type, actor } = query;
    const types = query.types === 'all' ? undefined : type === undefined ? activityTypes : [type];
    const page = pageOf(query, 'timestamp:desc');
    const found = await listActivity(api.db, { vaultId, types, actor }, readerScope(caller), page);
    if (!found) throw new ServiceError('VAULT_NOT_FOUND');
    const listed = found.activities.map(({ at, data, ...activity }) => {
      return { ...activity, timestamp: isoText(at), details: { ...data } };
    });
    const data = { activities: listed, pagination: paginationOf(query, found.count) };
    return ok({ status: 'success', data });
  },
});

const PercentageText = z.string().regex(/^[+-]?\d+\.\d\d%$/);

const VaultMetrics = z.object({
  status: z.literal('success'),
  data: z.object({
    valuation: z.object({
      initial: AmountText.describe(
        'Value that the settlement counted, in lovelace. Before the settlement: the value of the assets that were locked first.',
      ),
      current: AmountText.describe('`total` of the valuation, in lovelace.'),
      change: PercentageText.describe('Change from `initial` to `current`, with sign and two decimals: `+12.50%`.'),
    }),
    participation: z.object({
      uniqueVoters: z.int().describe('Number of wallets that have voted on any proposal of the vault.'),
      averageQuorum: PercentageText.describe('Mean share of the eligible power that voted, over all closed votes.'),
      proposalCount: z.int().describe('Number of proposals of the vault, including ended ones.'),
    }),
    timeline: z.object({
      created: Timestamp.describe('Time at which the vault was created.'),
      locked: Timestamp.nullable().describe('Time at which it was settled. `null` before.'),
      age: DurationPrinted,
    }),
  }),
});

export const getMetricsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/metrics',
  operationId: 'readVaultMetrics',
  specified: true,
  summary: 'Get the metrics of a vault',
  description:
    'Returns the value of a vault, the participation in its governance, and its age. `change` compares the ' +
    'current value with `initial`: the value at the settlement or, before it, the value of the assets that were ' +
    'locked first.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: VaultMetrics },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const metrics = await readMetrics(context, caller, params.vaultId);
    const { initial, current, change, uniqueVoters, averageQuorum, proposals, createdAt, lockedAt, age } = metrics;
    const data = {
      valuation: { initial: initial.toString(), current: current.toString(), change },
      participation: { uniqueVoters, averageQuorum, proposalCount: proposals },
      timeline: { created: isoText(createdAt), locked: lockedAt === null ? null : isoText(lockedAt), age },
    };
    return ok({ status: 'success', data } as const);
  },
});
