import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from './document.ts';
import { permissionResources } from '../../access/rules.ts';
import { apiRoutes } from '../../routes.ts';

const published = openApiDocument(apiRoutes, 'v1');

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly 'x-codes'?: readonly string[] }>>;
}

const operations = Object.entries(published.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Readonly<Record<string, Operation>>).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path.replace(/^\/api\/v1/, '')}`, operation] as const,
  ),
);
const versioned = operations.filter(([name]) => !/ \/(health|openapi)/.test(name));

/** The operations of the specification ("Endpoints"), with the read of a vault and the settings, whose paths the design names (D35). */
const specified = [
  'POST /vaults',
  'GET /vaults/{vaultId}',
  'PATCH /vaults/{vaultId}',
  'GET /vaults/{vaultId}/metrics',
  'GET /vaults/{vaultId}/activity',
  'PATCH /vaults/{vaultId}/allowlist',
  'POST /vaults/{vaultId}/assets',
  'GET /vaults/{vaultId}/assets',
  'DELETE /vaults/{vaultId}/assets/{assetId}',
  'GET /vaults/{vaultId}/valuation',
  'POST /vaults/{vaultId}/proposals',
  'POST /proposals/{proposalId}/votes',
  'POST /proposals/{proposalId}/execute',
];

describe('a service that is not ready', () => {
  const statusesOf = ({ responses }: Operation) =>
    Object.entries(responses).flatMap(([status, { 'x-codes': codes = [] }]) =>
      codes.includes('SERVICE_NOT_READY') ? [status] : [],
    );

  test.each(versioned)('is 500 in the specification, and 503 elsewhere (%s)', (name, operation) => {
    expect(statusesOf(operation)).toEqual([specified.includes(name) ? '500' : '503']);
  });

  test('is published for every operation of the specification', () => {
    expect(specified.filter((name) => !versioned.some(([known]) => known === name))).toEqual([]);
  });
});

/** The values of a schema that a request must write exactly so, by their paths. */
function exactWords(schema: Schema, path: string): string[] {
  const { $ref, enum: words, anyOf = [], items, properties = {} } = schema;
  if ($ref !== undefined)
    return exactWords(published.components?.schemas?.[$ref.split('/').at(-1) ?? ''] as Schema, path);
  return [
    ...(words ? [path] : []),
    ...[...anyOf, ...(items ? [items] : [])].flatMap((part) => exactWords(part, path)),
    ...Object.entries(properties).flatMap(([name, part]) => exactWords(part, `${path}.${name}`)),
  ];
}

test('every word of a request may be written in any case, except names of fields, roles and the like', () => {
  const exact = versioned.flatMap(([, { parameters = [], requestBody }]) => [
    ...parameters.flatMap(({ name, schema }) => exactWords(schema, name)),
    ...exactWords(requestBody?.content['application/json']?.schema ?? {}, 'body'),
  ]);
  expect([...new Set(exact)].toSorted()).toEqual([
    'body.permissions.action',
    'body.permissions.resource',
    'body.roles',
    'expand',
    'fields',
    'sort',
    'version',
  ]);
});

test('a key can be given a permission for the resource of every operation, and for wallets', () => {
  const needed = apiRoutes.api.flatMap(({ permission }) => ('unrestricted' in permission ? [] : [permission.resource]));
  expect([...permissionResources].toSorted()).toEqual([...new Set([...needed, 'wallet'])].toSorted());
});
