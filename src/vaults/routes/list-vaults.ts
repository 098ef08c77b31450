import { z } from 'zod';
import { vaultStatuses } from '../rules/vault.ts';
import { vaultTypes } from '../../types/rules/vault-type.ts';
import { listReadableVaults } from '../list-vaults.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, TypeFilter } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { ListedVaultResource } from './resource.ts';
import { presentListedVault } from './response.ts';

export const listVaultsRoute = route({
  method: 'get',
  path: '/vaults',
  operationId: 'listVaults',
  summary: 'List vaults',
  description:
    'Lists the vaults that the caller may read. A PRIVATE vault is listed only for its admin, for wallets on its ' +
    'whitelists, for wallets with a deposit or a stake in it, and for keys with permission wallet:UPDATE.',
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
