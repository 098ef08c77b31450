import { describe, expect, test } from '@jest/globals';
import { apiRoutes } from '../http/routes.ts';
import { openApiDocument } from './document.ts';
import { withOpenApi } from './route.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}
interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly links?: Readonly<Record<string, { readonly operationId: string }>>;
  readonly 'x-codes'?: readonly string[];
}

const all = withOpenApi(apiRoutes, 'v1');
const published = openApiDocument(all, 'v1');
/** The operations of the specification that change something. Reads present resources, which are additive. */
const changing = all.api
  .filter(({ specified, method }) => specified && method !== 'get')
  .map((route) => route.operationId);
const isSpecified = (id: string) => changing.includes(id);

const components = published.components?.schemas as Readonly<Record<string, Schema>>;
const operations = Object.values(published.paths ?? {}).flatMap((path) =>
  Object.entries(path as Readonly<Record<string, Operation>>).map(([method, operation]) => ({ method, ...operation })),
);

const specForm = Object.keys(components['SpecTransaction']?.properties ?? {});
const additiveForm = Object.keys(components['OperationTransaction']?.properties ?? {});
/** Field names that only one of the two forms has. */
const specOnly = specForm.filter((name) => !additiveForm.includes(name));
const additiveOnly = additiveForm.filter((name) => !specForm.includes(name));

interface Found {
  readonly name: string;
  readonly schema: Schema;
  /** The other fields of the same object. */
  readonly beside: readonly string[];
}

/** Every field of a schema and of what it refers to, each component once. */
function fieldsOf(schema: Schema, seen = new Set<string>()): Found[] {
  const { $ref, anyOf = [], oneOf = [], allOf = [], properties = {} } = schema;
  const id = $ref?.split('/').at(-1) ?? '';
  const referred = $ref === undefined || seen.has(id) ? undefined : components[id];
  seen.add(id);
  const parts = [referred, schema.items, ...anyOf, ...oneOf, ...allOf].flatMap((part) =>
    part ? fieldsOf(part, seen) : [],
  );
  const beside = Object.keys(properties);
  const own = Object.entries(properties).flatMap(([name, field]) => [
    { name, schema: field, beside },
    ...fieldsOf(field, seen),
  ]);
  return [...parts, ...own];
}

const successes = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.values(content).flatMap(({ schema }) => fieldsOf(schema)) : [],
  );
const formOf = ({ schema }: Found) => schema.$ref?.split('/').at(-1) ?? 'a schema of its own';
/** Objects that have both a hash and a height, or a name of one form, are transactions, whatever they are called. */
const isOfForm = (names: readonly string[], { name, beside }: Found) =>
  names.includes(name) && (name !== 'hash' || beside.includes('blockHeight'));

test('the operations of the specification that change something are known', () => {
  expect(changing.toSorted()).toEqual([
    'addAsset',
    'castVote',
    'changeAllowList',
    'changeVaultSettings',
    'createProposal',
    'createVault',
    'executeProposal',
    'removeAsset',
  ]);
});

test('both forms have the same fields, in snake case and in camel case', () => {
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(specForm.map((name) => (name === 'tx_hash' ? 'hash' : camel(name)))).toEqual(additiveForm);
  expect(specForm).toEqual(expect.arrayContaining(['tx_hash', 'status', 'block_height']));
  for (const [index, name] of specForm.entries())
    expect(components['SpecTransaction']?.properties?.[name]).toEqual(
      components['OperationTransaction']?.properties?.[additiveForm[index] ?? ''],
    );
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (id, operation) => {
  const fields = successes(operation);
  const [form, otherNames] = isSpecified(id) ? ['SpecTransaction', additiveOnly] : ['OperationTransaction', specOnly];

  test('presents its transaction in one form: that of the specification, or that of everything else', () => {
    const transactions = fields.filter(({ name }) => name === 'transaction');
    expect(transactions.map(formOf)).toEqual(transactions.map(() => form));
    expect(fields.filter((field) => isOfForm(otherNames, field)).map(({ name }) => name)).toEqual([]);
  });
});

test('every operation of the specification that changes something returns its transaction', () => {
  const returning = operations.filter((operation) => successes(operation).some(({ name }) => name === 'transaction'));
  expect(returning.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(changing));
});

test('a refusal that names a transaction to sign names it in the form of its operation', () => {
  const described = published as unknown as {
    'x-error-codes': Readonly<Record<string, { readonly details?: Readonly<Record<string, string>> }>>;
  };
  const naming = Object.entries(described['x-error-codes']).filter(([, { details }]) => details?.['transaction']);
  expect(naming).not.toEqual([]);
  for (const [code, { details }] of naming) {
    const raising = operations.filter(({ responses }) =>
      Object.values(responses).some(({ 'x-codes': codes = [] }) => codes.includes(code)),
    );
    expect(raising.map(({ operationId }) => isSpecified(operationId))).toEqual(raising.map(() => true));
    for (const name of specForm.filter((field) => field !== 'proof')) expect(details?.['transaction']).toMatch(name);
  }
});

test('a flow of additive operations has one form, from the transaction to sign to the one that is final', () => {
  const signed = operations
    .filter(({ responses }) => Object.values(responses).some(({ links = {} }) => 'addWitnesses' in links))
    .map(({ operationId }) => operationId);
  const started = signed.filter((id) => !isSpecified(id));
  expect(started).toEqual(['createDeposit', 'invest', 'stake', 'unstake', 'freezeExecution']);
  const resource = components['Transaction']?.properties ?? {};
  for (const name of additiveForm.filter((field) => field !== 'proof')) {
    const { description: _of, ...field } = components['OperationTransaction']?.properties?.[name] ?? {};
    expect(resource[name]).toMatchObject(field);
  }
});
