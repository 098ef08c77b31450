import { z } from 'zod';
import { requireType, retireType } from '../../change-type.ts';
import { registerVaultType } from '../../register-vault-type.ts';
import { listTypes } from '../../queries/registered-types.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { pageOf, paginationOf } from '../../../platform/http/paging.ts';
import { noContent, ok } from '../../../platform/http/route-response.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { isRetired, TypeParams, typeQuery } from '../asset-types/type-fields.ts';
import { presentVaultType, RegisterVaultType, VaultTypeResource } from './resource.ts';

const unrestricted = 'Whoever creates a vault chooses among the types';

const listVaultTypesRoute = route({
  method: 'get',
  path: '/vault-types',
  operationId: 'listVaultTypes',
  summary: 'List the vault types, those of the specification and retired ones included',
  description: '`vault_type` of a new vault is the name of a type that is not retired.',
  success: 'A page of vault types',
  permission: { unrestricted },
  query: typeQuery,
  responses: { 200: EnvelopedPage(z.object({ vaultTypes: z.array(VaultTypeResource) })) },
  errors: [],
  async handle({ query }, { db, readingTime }) {
    const { types, count } = await listTypes(
      db,
      { kind: 'vault', isRetired: isRetired(query) },
      pageOf(query, 'name:asc'),
    );
    const data = { vaultTypes: types.map(presentVaultType) };
    return ok(envelopedPage(data, paginationOf(query, count), await readingTime()));
  },
});

const readVaultTypeRoute = route({
  method: 'get',
  path: '/vault-types/:name',
  operationId: 'readVaultType',
  summary: 'Read a vault type',
  description: 'These are its rules for new vaults; `typeRules` of a vault are those that apply to it.',
  permission: { unrestricted },
  params: TypeParams,
  responses: { 200: Enveloped(VaultTypeResource) },
  errors: ['TYPE_NOT_FOUND'],
  async handle({ params: { name } }, { db, readingTime }) {
    return ok(enveloped(presentVaultType(await requireType(db, 'vault', name)), await readingTime()));
  },
});

const registerVaultTypeRoute = route({
  method: 'put',
  path: '/vault-types/:name',
  operationId: 'registerVaultType',
  summary: 'Register a vault type for new vaults, or replace its rules',
  description:
    'A vault keeps the rules that its type had when it was created. A retired type can be used again from then on.',
  success: 'The vault type',
  examples: {
    club: {
      description: 'Members contribute, anyone invests',
      contributors: 'listed',
      investors: 'anyone',
      valuationTypes: ['FIXED'],
      assetTypes: ['REAL_ESTATE'],
    },
  },
  permission: { resource: 'vault_type', action: 'UPDATE' },
  params: TypeParams,
  body: RegisterVaultType,
  responses: { 200: Enveloped(VaultTypeResource) },
  errors: ['TYPE_IS_BUILT_IN'],
  async handle({ params: { name }, body: { description, ...rules }, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      const type = await registerVaultType(context, { name, description, rules }, caller);
      return ok(enveloped(presentVaultType(type), context.now));
    });
  },
});

const retireVaultTypeRoute = route({
  method: 'delete',
  path: '/vault-types/:name',
  operationId: 'retireVaultType',
  summary: 'Retire a vault type: no new vault can have it',
  description: 'Vaults that have it keep it, with its rules. Retiring it again changes nothing.',
  success: 'The type is retired',
  permission: { resource: 'vault_type', action: 'DELETE' },
  params: TypeParams,
  responses: { 204: null },
  errors: ['TYPE_NOT_FOUND', 'TYPE_IS_BUILT_IN'],
  async handle({ params: { name }, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      await retireType(context, 'vault', name, caller);
      return noContent();
    });
  },
});

export const vaultTypeRoutes = [listVaultTypesRoute, readVaultTypeRoute, registerVaultTypeRoute, retireVaultTypeRoute];
