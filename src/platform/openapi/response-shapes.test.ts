import { describe, expect, test } from '@jest/globals';
import { apiRoutes } from '../../routes.ts';
import { openApiDocument } from './document.ts';
import { withContracts } from './route.ts';

const all = withContracts(apiRoutes, 'v1');
const published = openApiDocument(all, 'v1');

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly links?: Readonly<Record<string, { readonly operationId: string }>>;
  readonly 'x-codes'?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

type Body =
  'top level' | 'status and data' | 'status and data, with a page' | 'envelope' | 'envelope, with a page' | 'no body';

/** The body of a successful response, and the form of the transactions in it where it has some. */
type Shape = readonly [body: Body, transaction?: 'SpecTransaction' | 'OperationTransaction'];

/** The operations that have a transaction or not the general envelope: those of the specification ("Response shapes"), and some more. */
const shapes: Readonly<Record<string, Shape>> = {
  createVault: ['top level', 'SpecTransaction'],
  addAsset: ['top level', 'SpecTransaction'],
  createProposal: ['top level', 'SpecTransaction'],
  castVote: ['top level', 'SpecTransaction'],
  executeProposal: ['top level', 'SpecTransaction'],
  removeAsset: ['status and data', 'SpecTransaction'],
  changeAllowList: ['status and data', 'SpecTransaction'],
  changeVaultSettings: ['envelope', 'SpecTransaction'],
  readVault: ['envelope', 'OperationTransaction'],
  deleteVault: ['envelope', 'OperationTransaction'],
  cancelVault: ['envelope', 'OperationTransaction'],
  createDeposit: ['envelope', 'OperationTransaction'],
  invest: ['envelope', 'OperationTransaction'],
  removeInvestment: ['envelope', 'OperationTransaction'],
  stake: ['envelope', 'OperationTransaction'],
  unstake: ['envelope', 'OperationTransaction'],
  claim: ['envelope', 'OperationTransaction'],
  listProposals: ['envelope, with a page', 'OperationTransaction'],
  readProposal: ['envelope', 'OperationTransaction'],
  cancelProposal: ['envelope', 'OperationTransaction'],
  endorseProposal: ['envelope', 'OperationTransaction'],
  revokeVote: ['envelope', 'OperationTransaction'],
  freezeExecution: ['envelope', 'OperationTransaction'],
  returnUnsolicited: ['envelope', 'OperationTransaction'],
  readValuation: ['status and data'],
  readVaultMetrics: ['status and data'],
  listAssets: ['status and data, with a page'],
  listVaultActivity: ['status and data, with a page'],
  sendBatch: ['top level'],
  readLiveness: ['top level'],
  readReadiness: ['top level'],
  readOpenApi: ['top level'],
  readAsyncApi: ['top level'],
  eraseAdminEmail: ['no body'],
  endCurrentSession: ['no body'],
  endSession: ['no body'],
  cancelRotation: ['no body'],
  endPause: ['no body'],
  deleteFeatureFlag: ['no body'],
  revokeApiKey: ['no body'],
  retireVaultType: ['no body'],
  retireAssetType: ['no body'],
};

const operations = Object.values(published.paths ?? {})
  .flatMap((path) => Object.values(path as Readonly<Record<string, Operation>>))
  .map((operation) => [operation.operationId, operation] as const);
const components = published.components?.schemas as Readonly<Record<string, Schema>>;

const idOf = ({ $ref }: Schema) => $ref?.split('/').at(-1);
function resolved(schema: Schema | undefined): Schema | undefined {
  const id = schema && idOf(schema);
  return id === undefined ? schema : components[id];
}

const fieldsOf = (schema: Schema | undefined) => Object.keys(resolved(schema)?.properties ?? {});

const successes = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.entries(content) : [],
  );

function bodyOf(operation: Operation): Schema | undefined {
  return resolved(successes(operation).find(([type]) => type === 'application/json')?.[1].schema);
}

/** How a successful response is wrapped, or what is unusual in it. */
function wrappingOf(operation: Operation): string {
  const body = bodyOf(operation);
  if (!body) return 'no body';
  const { data, metadata, status } = body.properties ?? {};
  if (!data) return metadata ? 'metadata without data' : 'top level';
  if (status?.const !== 'success') return 'data without status';
  const withPage = (fields: readonly string[]) => (fields.includes('pagination') ? ', with a page' : '');
  if (!metadata) return `status and data${withPage(fieldsOf(data))}`;
  return `envelope${withPage(fieldsOf(metadata))}`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  /** The fields of the same object. */
  readonly beside: readonly string[];
}

/** Every field of a schema and of what it refers to, each component once. */
function allFields(schema: Schema, seen = new Set<string>()): Field[] {
  const { items, anyOf = [], oneOf = [], allOf = [], properties = {} } = schema;
  const id = idOf(schema) ?? '';
  const referred = seen.has(id) ? undefined : components[id];
  seen.add(id);
  const parts = [referred, items, ...anyOf, ...oneOf, ...allOf].flatMap((part) => (part ? allFields(part, seen) : []));
  const beside = Object.keys(properties);
  const own = Object.entries(properties).flatMap(([name, field]) => [
    { name, schema: field, beside },
    ...allFields(field, seen),
  ]);
  return [...parts, ...own];
}

const specForm = fieldsOf(components['SpecTransaction']);
const additiveForm = fieldsOf(components['OperationTransaction']);

/** Whether a field has a name that only the other form has. A hash is a transaction's when it has a height beside it. */
function isOfOtherForm(form: Shape[1], { name, beside }: Field): boolean {
  const [own, other] = form === 'SpecTransaction' ? [specForm, additiveForm] : [additiveForm, specForm];
  return other.includes(name) && !own.includes(name) && (name !== 'hash' || beside.includes('blockHeight'));
}

describe.each(operations)('%s', (id, operation) => {
  const isPaged = operation.parameters?.some(({ name, in: place }) => name === 'page' && place === 'query') === true;
  const [body, form]: Shape = shapes[id] ?? [isPaged ? 'envelope, with a page' : 'envelope'];
  const fields = successes(operation).flatMap(([, { schema }]) => allFields(schema));

  test('has its shape', () => {
    expect(wrappingOf(operation)).toBe(body);
  });

  test('presents its transactions in its form only', () => {
    const forms = fields.filter(({ name }) => name === 'transaction').map(({ schema }) => idOf(schema));
    expect([...new Set(forms)]).toEqual(form === undefined ? [] : [form]);
    expect(fields.filter((field) => isOfOtherForm(form, field)).map(({ name }) => name)).toEqual([]);
  });
});

test('every operation of the table exists', () => {
  const known = operations.map(([id]) => id);
  expect(Object.keys(shapes).filter((id) => !known.includes(id))).toEqual([]);
});

const wrapped = operations.filter(([, operation]) => !['top level', 'no body'].includes(wrappingOf(operation)));

test.each(wrapped)('%s always has its wrapper, and nothing beside it', (_id, operation) => {
  const body = bodyOf(operation);
  const wrapper = wrappingOf(operation).startsWith('envelope') ? ['data', 'metadata', 'status'] : ['data', 'status'];
  expect([fieldsOf(body).toSorted(), body?.required?.toSorted()]).toEqual([wrapper, wrapper]);
});

test('the form of the specification belongs to the operations that it describes and that change something', () => {
  const changing = all.api.filter(({ specified, method }) => specified && method !== 'get');
  const inTable = Object.entries(shapes).filter(([, [, form]]) => form === 'SpecTransaction');
  expect(inTable.map(([id]) => id).toSorted()).toEqual(changing.map(({ operationId }) => operationId).toSorted());
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

test('a refusal that names a transaction to sign names it in the form of its operation', () => {
  const described = published as unknown as {
    'x-error-codes': Readonly<Record<string, { readonly details?: Readonly<Record<string, string>> }>>;
  };
  const naming = Object.entries(described['x-error-codes']).filter(([, { details }]) => details?.['transaction']);
  expect(naming).not.toEqual([]);
  for (const [code, { details }] of naming) {
    const raising = operations.filter(([, { responses }]) =>
      Object.values(responses).some(({ 'x-codes': codes = [] }) => codes.includes(code)),
    );
    expect(raising.map(([id]) => shapes[id]?.[1])).toEqual(raising.map(() => 'SpecTransaction'));
    for (const name of specForm.filter((field) => field !== 'proof')) expect(details?.['transaction']).toMatch(name);
  }
});

test('what wallets sign has one form, from the transaction to sign to the one that is final', () => {
  const signed = operations
    .filter(([, { responses }]) => Object.values(responses).some(({ links = {} }) => 'addWitnesses' in links))
    .map(([id]) => [id, shapes[id]?.[1]]);
  expect(signed).toEqual([
    ['addAsset', 'SpecTransaction'],
    ...['createDeposit', 'invest', 'stake', 'unstake', 'claim', 'freezeExecution'].map((id) => [
      id,
      'OperationTransaction',
    ]),
  ]);
  const resource = components['Transaction']?.properties ?? {};
  for (const name of additiveForm.filter((field) => field !== 'proof')) {
    const { description: _of, ...field } = components['OperationTransaction']?.properties?.[name] ?? {};
    expect(resource[name]).toMatchObject(field);
  }
});
