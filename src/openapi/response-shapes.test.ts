import { expect, test } from '@jest/globals';
import { apiRoutes } from '../http/routes.ts';
import { openApiDocument } from './document.ts';
import { withOpenApi } from './route.ts';

const published = openApiDocument(withOpenApi(apiRoutes, 'v1'), 'v1');

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

type Shape =
  'top level' | 'status and data' | 'status and data, with a page' | 'envelope' | 'envelope, with a page' | 'no body';

/** The operations that do not have the general envelope: those of the specification ("Response shapes"), and a few that wrap nothing. */
const shapes: Readonly<Record<string, Shape>> = {
  createVault: 'top level',
  addAsset: 'top level',
  createProposal: 'top level',
  castVote: 'top level',
  executeProposal: 'top level',
  removeAsset: 'status and data',
  readValuation: 'status and data',
  changeAllowList: 'status and data',
  readVaultMetrics: 'status and data',
  listAssets: 'status and data, with a page',
  listVaultActivity: 'status and data, with a page',
  sendBatch: 'top level',
  readLiveness: 'top level',
  readReadiness: 'top level',
  readOpenApi: 'top level',
  eraseAdminEmail: 'no body',
  endCurrentSession: 'no body',
  endSession: 'no body',
  endPause: 'no body',
  deleteFeatureFlag: 'no body',
  revokeApiKey: 'no body',
};

const operations = Object.values(published.paths ?? {})
  .flatMap((path) => Object.values(path as Readonly<Record<string, Operation>>))
  .map((operation) => [operation.operationId, operation] as const);

function resolved(schema: Schema | undefined): Schema | undefined {
  const id = schema?.$ref?.split('/').at(-1);
  return id === undefined ? schema : (published.components?.schemas?.[id] as Schema);
}

const fieldsOf = (schema: Schema | undefined) => Object.keys(resolved(schema)?.properties ?? {}).toSorted();

function bodyOf({ responses }: Operation): Schema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return resolved(success?.content?.['application/json']?.schema);
}

/** The shape of a successful response, or what is unusual in it. */
function shapeOf(operation: Operation): string {
  const body = bodyOf(operation);
  if (!body) return 'no body';
  const { data, metadata, status } = body.properties ?? {};
  if (!data) return metadata ? 'metadata without data' : 'top level';
  if (status?.const !== 'success') return 'data without status';
  const withPage = (fields: readonly string[]) => (fields.includes('pagination') ? ', with a page' : '');
  if (!metadata) return `status and data${withPage(fieldsOf(data))}`;
  return `envelope${withPage(fieldsOf(metadata))}`;
}

test.each(operations)('%s has its shape', (id, operation) => {
  const isPaged = operation.parameters?.some(({ name, in: place }) => name === 'page' && place === 'query');
  expect(shapeOf(operation)).toBe(shapes[id] ?? (isPaged ? 'envelope, with a page' : 'envelope'));
});

test('every operation of the table exists', () => {
  const known = operations.map(([id]) => id);
  expect(Object.keys(shapes).filter((id) => !known.includes(id))).toEqual([]);
});

const wrapped = operations.filter(([, operation]) => !['top level', 'no body'].includes(shapeOf(operation)));

test.each(wrapped)('%s always has its wrapper, and nothing beside it', (_id, operation) => {
  const body = bodyOf(operation);
  const wrapper = shapeOf(operation).startsWith('envelope') ? ['data', 'metadata', 'status'] : ['data', 'status'];
  expect([fieldsOf(body), body?.required?.toSorted()]).toEqual([wrapper, wrapper]);
});
