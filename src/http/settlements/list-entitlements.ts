import { z } from 'zod';
import { requireReadableVault, vaultAttributes } from '../../services/vaults/vault-access.ts';
import { listEntitlements } from '../../store/entitlements.ts';
import { ok } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';
import { EnvelopedPage, envelopedPage } from '../../server/envelope.ts';
import { AddressFilter, ResourceId } from '../../server/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../server/paging.ts';
import { EntitlementResource, presentEntitlement } from './response.ts';

export const listEntitlementsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/entitlements',
  operationId: 'listEntitlements',
  summary: 'List what the settlement of a vault pays for each deposit',
  description:
    'In the order of the payments; empty until the settlement is planned. The rest of the delivery deposit is paid besides.',
  success: 'A page of entitlements',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({ ...pageQuery(['position']), walletAddress: AddressFilter.optional() }),
  responses: { 200: EnvelopedPage(z.object({ entitlements: z.array(EntitlementResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    await requireReadableVault(api, caller, vaultId);
    const page = pageOf(query, 'position:asc');
    const { entitlements, count } = await listEntitlements(api.db, { vaultId, wallet: query.walletAddress }, page);
    const data = { entitlements: entitlements.map(presentEntitlement) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});
