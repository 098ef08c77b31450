import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { type ApiDocument, breakingChanges } from './openapi-changes.ts';
import { changesSinceCommit, openApiFile, openApiText } from './openapi.ts';

test('nothing has changed since docs/openapi.json in a way that breaks clients', async () => {
  expect(await changesSinceCommit()).toEqual([]);
});

test('docs/openapi.json is what the service publishes (npm run generate:api)', async () => {
  expect((await readFile(openApiFile, 'utf8')) === openApiText()).toBe(true);
});

test('docs/openapi.json is valid OpenAPI 3.1, and so is each of its examples by its schema', async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const environment = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)('node_modules/.bin/redocly', ['lint', '--format=json', openApiFile], {
    cwd: root,
    env: { ...process.env, ...environment },
    maxBuffer: 100_000_000,
  }).catch((failed: unknown) => failed as { stdout: string });
  const { problems } = JSON.parse(stdout) as { problems: { message: string; location: unknown }[] };
  expect(problems.map(({ message }) => message)).toEqual([]);
});

const Pet = {
  type: 'object',
  properties: { id: { type: 'string' }, age: { type: 'integer' }, kind: { type: 'string', enum: ['cat', 'dog'] } },
  required: ['id', 'age'],
};
const petDocument = (pet: object = Pet, more: object = {}, name = 'X-Key') =>
  ({
    paths: {
      '/pets': {
        post: {
          security: [{ key: [] }, { key: [], session: [] }],
          'x-permission': { resource: 'pet', action: 'CREATE' },
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
          responses: {
            200: {
              headers: { ETag: { schema: { type: 'string' } } },
              content: { 'application/json': { schema: { type: 'object', properties: { pet: Pet } } } },
            },
            400: { content: { 'application/json': {}, 'application/problem+json': {} } },
          },
          ...more,
        },
      },
    },
    components: { schemas: { Pet: pet }, securitySchemes: { key: { type: 'apiKey', name } } },
  }) as unknown as ApiDocument;
const answering = (schema: object) => ({
  responses: { 200: { headers: { ETag: {} }, content: { 'application/json': { schema } } } },
});
const inPet = (properties: object) => ({ ...Pet, properties: { ...Pet.properties, ...properties } });
const since = (current: ApiDocument) => breakingChanges(petDocument(), current);

describe('a change breaks clients', () => {
  test.each<[string, ApiDocument, string]>([
    ['that removes an operation', { ...petDocument(), paths: {} }, 'POST /pets is removed'],
    ['that removes a parameter', petDocument(Pet, { parameters: [] }), 'POST /pets lacks the parameter limit'],
    [
      'that needs a new parameter',
      petDocument(Pet, {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
          { name: 'x', in: 'query', required: true },
        ],
      }),
      'POST /pets needs the new parameter x',
    ],
    [
      'that needs a new field',
      petDocument({ ...inPet({ a: {} }), required: ['id', 'age', 'a'] }),
      'POST /pets body.a is required',
    ],
    [
      'that retypes a field',
      petDocument(inPet({ age: { type: 'string' } })),
      'POST /pets body.age was integer and is string',
    ],
    [
      'that accepts fewer values',
      petDocument(inPet({ kind: { type: 'string', enum: ['cat'] } })),
      'POST /pets body.kind does not accept dog',
    ],
    [
      'that removes a field of a response',
      petDocument(Pet, answering({ type: 'object', properties: {} })),
      'POST /pets 200.pet is removed',
    ],
    [
      'whose response may lack a field',
      petDocument(Pet, answering({ type: 'object', properties: { pet: { ...Pet, required: ['id'] } } })),
      'POST /pets 200.pet.age may be absent',
    ],
    ['that returns another status', petDocument(Pet, { responses: { 201: {} } }), 'POST /pets no longer returns 200'],
    [
      'that no longer accepts a key alone',
      petDocument(Pet, { security: [{ key: [], session: [] }] }),
      'POST /pets is refused with key',
    ],
    [
      'that needs another permission',
      petDocument(Pet, { 'x-permission': { resource: 'pet', action: 'UPDATE' } }),
      'POST /pets needed permission pet:CREATE and needs pet:UPDATE',
    ],
    ['that changes the authentication', petDocument(Pet, {}, 'X-Other'), 'the authentication key has changed'],
    [
      'that lowers the maximum of a parameter',
      petDocument(Pet, { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }] }),
      'POST /pets limit has maximum 50',
    ],
    [
      'that needs a parameter that could be absent',
      petDocument(Pet, {
        parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer', maximum: 100 } }],
      }),
      'POST /pets needs the parameter limit',
    ],
    [
      'that sets a minimum',
      petDocument(inPet({ age: { type: 'integer', minimum: 1 } })),
      'POST /pets body.age has minimum 1',
    ],
    [
      'that names the values of a text',
      petDocument(inPet({ id: { type: 'string', enum: ['a', 'b'] } })),
      'POST /pets body.id accepts a, b only',
    ],
    [
      'that sets a pattern',
      petDocument(inPet({ id: { type: 'string', pattern: '^a' } })),
      'POST /pets body.id has pattern ^a',
    ],
    [
      'that refuses other fields',
      petDocument({ ...Pet, additionalProperties: false }),
      'POST /pets body refuses other fields',
    ],
    [
      'that no longer accepts a content type',
      petDocument(Pet, { requestBody: { content: { 'application/cbor': {} } } }),
      'POST /pets body is no longer application/json',
    ],
    [
      'whose response lacks a header',
      petDocument(Pet, {
        responses: {
          200: { content: { 'application/json': { schema: { type: 'object', properties: { pet: Pet } } } } },
        },
      }),
      'POST /pets 200 lacks the header ETag',
    ],
    [
      'whose refusals lack a content type',
      petDocument(Pet, {
        responses: {
          ...answering({ type: 'object', properties: { pet: Pet } }).responses,
          400: { content: { 'application/json': {} } },
        },
      }),
      'POST /pets 400 is no longer application/problem+json',
    ],
  ])('%s', (_case, current, change) => {
    expect(since(current)).toEqual([change]);
  });
});

const nullable = (field: object) => answering({ anyOf: [{ type: 'null' }, { type: 'object', properties: { field } }] });

test('a change within an alternative, and of a constant, breaks clients', () => {
  const before = petDocument(Pet, nullable({ const: 'made' }));
  expect(breakingChanges(before, petDocument(Pet, nullable({ const: 'created' })))).toEqual([
    'POST /pets 200.field was made and is created',
  ]);
});

test('an operation that needs less than before breaks nobody', () => {
  const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200 } }];
  expect(since(petDocument(Pet, { parameters, security: [], 'x-permission': undefined }))).toEqual([]);
  const open = petDocument(Pet, { security: [], 'x-permission': undefined });
  expect(breakingChanges(open, petDocument())).toEqual([
    'POST /pets needs authentication',
    'POST /pets needed permission none and needs pet:CREATE',
  ]);
});

test('new operations, optional fields and parameters, and fields of responses break nobody', () => {
  const more = {
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
      { name: 'sort', in: 'query' },
    ],
    ...answering({ type: 'object', properties: { pet: inPet({ colour: { type: 'string' } }) } }),
  };
  const current = petDocument(
    inPet({ colour: { type: 'string' }, kind: { type: 'string', enum: ['cat', 'dog', 'cow'] } }),
    more,
  );
  expect(since({ ...current, paths: { ...current.paths, '/cows': { get: {} } } })).toEqual([]);
});

test('a response may have more types of what a word tells apart, as new types of events, and no fewer', () => {
  const union = (types: readonly string[], more: object = { discriminator: { propertyName: 'type' } }) => {
    const oneOf = types.map((type) => ({ $ref: `#/components/schemas/${type}` }));
    return petDocument(Pet, answering({ type: 'object', properties: { event: { oneOf, ...more } } }));
  };
  expect(breakingChanges(union(['Born', 'Sold']), union(['Born', 'Moved', 'Sold']))).toEqual([]);
  const changed = [expect.stringContaining('POST /pets 200.event was ')];
  expect(breakingChanges(union(['Born', 'Sold']), union(['Born', 'Moved']))).toEqual(changed);
  expect(breakingChanges(union(['Born'], {}), union(['Born', 'Sold'], {}))).toEqual(changed);
});
