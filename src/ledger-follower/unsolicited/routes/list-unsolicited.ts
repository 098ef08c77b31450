import { z } from 'zod';
import { vaultAddressKinds } from '../../../vaults/rules/vault-address.ts';
import { listUnsolicitedOutputs } from '../list-unsolicited.ts';
import { vaultOwnershipAttributes } from '../../../vaults/vault-access.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { CaseInsensitive, ResourceId } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { presentUnsolicited, UnsolicitedResource } from './response.ts';

export const listUnsolicitedRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/unsolicited',
  operationId: 'listUnsolicited',
  summary: 'List unsolicited outputs at the addresses of a vault',
  description:
    'An unsolicited output was sent by a transaction that the platform did not make, so it never counts as a deposit. ' +
    'Only for the session of the admin of the vault and for keys with permissions unsolicited:READ and wallet:UPDATE.',
  success: 'A page of outputs',
  permission: { resource: 'unsolicited', action: 'READ', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['seenAt', 'lovelace']),
    place: CaseInsensitive(vaultAddressKinds).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ outputs: z.array(UnsolicitedResource) })) },
  errors: ['VAULT_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  async handle({ params, query, caller }, context) {
    const page = pageOf(query, 'seenAt:asc');
    const filter = { ...params, place: query.place };
    const { outputs, count } = await listUnsolicitedOutputs(context, caller, filter, page);
    const data = { outputs: outputs.map(presentUnsolicited) };
    return ok(envelopedPage(data, paginationOf(query, count), await context.readingTime()));
  },
});
