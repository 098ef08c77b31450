import { z } from 'zod';
import { registerType, requireType, retireType } from '../../change-type.ts';
import { listTypes } from '../../queries/registered-types.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { pageOf, paginationOf } from '../../../platform/http/paging.ts';
import { noContent, ok } from '../../../platform/http/route-response.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { AssetTypeResource, presentAssetType, RegisterAssetType, rulesOf } from './resource.ts';
import { isRetired, TypeParams, typeQuery } from './type-fields.ts';

const unrestricted = 'Whoever creates a vault chooses among the types';

const listAssetTypesRoute = route({
  method: 'get',
  path: '/asset-types',
  operationId: 'listAssetTypes',
  summary: 'List the asset types, those of the specification and retired ones included',
  description: '`allowed_asset_types` of a new vault are names of types that are not retired.',
  success: 'A page of asset types',
  permission: { unrestricted },
  query: typeQuery,
  responses: { 200: EnvelopedPage(z.object({ assetTypes: z.array(AssetTypeResource) })) },
  errors: [],
  async handle({ query }, { db, readingTime }) {
    const { types, count } = await listTypes(
      db,
      { kind: 'asset', isRetired: isRetired(query) },
      pageOf(query, 'name:asc'),
    );
    const data = { assetTypes: types.map(presentAssetType) };
    return ok(envelopedPage(data, paginationOf(query, count), await readingTime()));
  },
});

const readAssetTypeRoute = route({
  method: 'get',
  path: '/asset-types/:name',
  operationId: 'readAssetType',
  summary: 'Read an asset type',
  description: 'These are its rules for new vaults; `assetTypeRules` of a vault are those that apply to it.',
  permission: { unrestricted },
  params: TypeParams,
  responses: { 200: Enveloped(AssetTypeResource) },
  errors: ['TYPE_NOT_FOUND'],
  async handle({ params: { name } }, { db, readingTime }) {
    return ok(enveloped(presentAssetType(await requireType(db, 'asset', name)), await readingTime()));
  },
});

const registerAssetTypeRoute = route({
  method: 'put',
  path: '/asset-types/:name',
  operationId: 'registerAssetType',
  summary: 'Register an asset type for new vaults, or replace its rules',
  description:
    'A vault keeps the rules that its asset types had when it was created. Assets of the type count as NFT or CNT, its `base`. A ' +
    'retired type can be used again from then on.',
  success: 'The asset type',
  examples: {
    realEstate: { description: 'Deeds, appraised by the admin of the vault', base: 'NFT', priceSources: ['admin'] },
    goldGrams: { description: 'Grams of gold', base: 'CNT', minQuantity: 10, maxQuantity: 100_000 },
  },
  permission: { resource: 'asset_type', action: 'UPDATE' },
  params: TypeParams,
  body: RegisterAssetType,
  responses: { 200: Enveloped(AssetTypeResource) },
  errors: ['TYPE_IS_BUILT_IN'],
  async handle({ params: { name }, body: { description, ...rules }, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      const type = await registerType(context, 'asset', { name, description, rules: rulesOf(rules) }, caller);
      return ok(enveloped(presentAssetType(type), context.now));
    });
  },
});

const retireAssetTypeRoute = route({
  method: 'delete',
  path: '/asset-types/:name',
  operationId: 'retireAssetType',
  summary: 'Retire an asset type: no new vault can use it',
  description: 'Vaults that have it keep it, and accept assets of it as before. Retiring it again changes nothing.',
  success: 'The type is retired',
  permission: { resource: 'asset_type', action: 'DELETE' },
  params: TypeParams,
  responses: { 204: null },
  errors: ['TYPE_NOT_FOUND', 'TYPE_IS_BUILT_IN'],
  async handle({ params: { name }, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      await retireType(context, 'asset', name, caller);
      return noContent();
    });
  },
});

export const assetTypeRoutes = [listAssetTypesRoute, readAssetTypeRoute, registerAssetTypeRoute, retireAssetTypeRoute];
