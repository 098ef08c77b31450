import { z } from 'zod';
import { route } from '../api-context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage, pageOf, paginationOf } from '../platform/http/envelope.ts';
import { noContent, ok } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { registerType, requireType, retireType, registerVaultType } from './change-types.ts';
import { listTypes } from './queries.ts';
import {
  AssetTypeResource,
  presentAssetType,
  RegisterAssetType,
  rulesOf,
  isRetired,
  TypeParams,
  typeQuery,
  presentVaultType,
  RegisterVaultType,
  VaultTypeResource,
} from './schemas.ts';

const unrestricted = 'Creators of vaults choose among the types';

const listAssetTypesRoute = route({
  method: 'get',
  path: '/asset-types',
  operationId: 'listAssetTypes',
  summary: 'List asset types',
  description:
    'Includes the types of the specification and retired types. For `allowed_asset_types` of a new vault, use ' +
    'the names of types that are not retired.',
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
  summary: 'Get an asset type',
  description: 'Returns the rules for new vaults. For the rules of an existing vault, see its `assetTypeRules`.',
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
  summary: 'Create or replace an asset type',
  description:
    'Sets the rules for new vaults. Existing vaults keep the rules that they were created with. Assets of the ' +
    'type count as NFT or CNT, its `base`. A retired type becomes active again.',
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
  summary: 'Retire an asset type',
  description:
    'New vaults cannot use the type. Existing vaults keep it and still accept its assets. Retiring it again changes nothing.',
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

const listVaultTypesRoute = route({
  method: 'get',
  path: '/vault-types',
  operationId: 'listVaultTypes',
  summary: 'List vault types',
  description:
    'Includes the types of the specification and retired types. For `vault_type` of a new vault, use the name of ' +
    'a type that is not retired.',
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
  summary: 'Get a vault type',
  description: 'Returns the rules for new vaults. For the rules of an existing vault, see its `typeRules`.',
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
  summary: 'Create or replace a vault type',
  description:
    'Sets the rules for new vaults. Existing vaults keep the rules that they were created with. A retired type becomes active again.',
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
  summary: 'Retire a vault type',
  description:
    'New vaults cannot use the type. Existing vaults keep it, with its rules. Retiring it again changes nothing.',
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
