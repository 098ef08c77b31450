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

test('docs/openapi.json is what the service publishes (npm run openapi)', async () => {
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
const petDocument = (pet: object = Pet, more: object = {}, schemas: object = {}) =>
  ({
    paths: {
      '/pets': {
        post: {
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
          responses: {
            200: { content: { 'application/json': { schema: { type: 'object', properties: { pet: Pet } } } } },
          },
          ...more,
        },
      },
    },
    components: { schemas: { Pet: pet, ...schemas } },
  }) as unknown as ApiDocument;
const answering = (schema: object) => ({ responses: { 200: { content: { 'application/json': { schema } } } } });
const inPet = (properties: object) => ({ ...Pet, properties: { ...Pet.properties, ...properties } });
const since = (current: ApiDocument) => breakingChanges(petDocument(), current);

describe('a change breaks clients', () => {
  test.each<[string, ApiDocument, string]>([
    ['that removes an operation', { paths: {} }, 'POST /pets is removed'],
    ['that removes a parameter', petDocument(Pet, { parameters: [] }), 'POST /pets lacks the parameter limit'],
    [
      'that needs a new parameter',
      petDocument(Pet, {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
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
  ])('%s', (_case, current, change) => {
    expect(since(current)).toEqual([change]);
  });
});

test('new operations, optional fields and parameters, and fields of responses break nobody', () => {
  const more = {
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
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
