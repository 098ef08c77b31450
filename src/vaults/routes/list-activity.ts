import { z } from 'zod';
import { ServiceError } from '../../platform/errors/errors.ts';
import { isoText } from '../../platform/units/instant.ts';
import { readerScope, vaultAttributes } from '../vault-access.ts';
import { eventTypes } from '../../events/queries/event-types.ts';
import { listActivity } from '../queries/vault-activity.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Pagination } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';

/** The kinds of activity of the specification ("Events"). */
const activityTypes = ['ASSET_ADDED', 'PROPOSAL_CREATED', 'VOTE_CAST'] as const;

const Activities = z.object({
  status: z.literal('success'),
  data: z.object({
    activities: z.array(
      z.object({
        type: z.enum(eventTypes).describe(`${activityTypes.join(', ')}; with \`types=all\` any type of event`),
        timestamp: Timestamp.describe('When it was recorded'),
        actor: z.string().describe('Wallet address, or `platform`'),
        details: z.looseObject({}).describe('What happened: ids, and amounts in base units'),
        transactionHash: z.string().nullable().describe('The transaction that it belongs to; null if there is none'),
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
  summary: 'What has happened in a vault, newest first',
  description:
    'An asset that was added is listed from the block of its transaction on; a proposal and a vote from the moment they are recorded. ' +
    'Activities are kept for 400 days, unless the deployment says otherwise.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['timestamp']),
    type: CaseInsensitive(activityTypes).optional(),
    types: z.literal('all').describe('Lists every type of event; `type` is not applied').optional(),
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
