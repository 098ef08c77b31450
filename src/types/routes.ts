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
