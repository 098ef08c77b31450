import { z } from 'zod';
import { route } from '../api-context.ts';
import { ServiceError } from '../platform/errors.ts';
import { EnvelopedPage, envelopedPage, pageOf, pageQuery, paginationOf } from '../platform/http/envelope.ts';
import { AddressFilter, ResourceId } from '../platform/http/fields.ts';
import { ok } from '../platform/http/route.ts';
import { listEntitlements } from './queries/settlements.ts';
import { EntitlementResource, presentEntitlement } from './schemas.ts';
import { readerScope, vaultAttributes } from '../vaults/require-vault.ts';

export const listEntitlementsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/entitlements',
  operationId: 'listEntitlements',
  summary: 'List the entitlements of a vault',
  description:
    'Lists the payout of the settlement for each deposit, in the order of the payments. Empty until the ' +
    'settlement is planned. The rest of the delivery deposit is paid in addition.',
  success: 'A page of entitlements',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({ ...pageQuery(['position']), walletAddress: AddressFilter.optional() }),
  responses: { 200: EnvelopedPage(z.object({ entitlements: z.array(EntitlementResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const filter = { vaultId, wallet: query.walletAddress };
    const listed = await listEntitlements(api.db, filter, readerScope(caller), pageOf(query, 'position:asc'));
    if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
    const { entitlements, count } = listed;
    const data = { entitlements: entitlements.map(presentEntitlement) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});
