import { expect, test } from '@jest/globals';
import { apiRoutes } from '../../routes.ts';
import { openApiDocument } from './document.ts';

const published = openApiDocument(apiRoutes, 'v1');

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Field {
  readonly path: string;
  readonly name: string;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
}

const component = (id: string) => published.components?.schemas?.[id] as Schema | undefined;

const isNullable = ({ type, anyOf = [] }: Schema) => [type].flat().includes('null') || anyOf.some(isNullable);

/** Every field of a schema and of what it refers to; a field of a component is named by the component. */
function fieldsOf(schema: Schema, path: string, within: readonly string[] = []): Field[] {
  const { $ref, anyOf = [], items, properties = {}, required = [] } = schema;
  const id = $ref?.split('/').at(-1);
  if (id !== undefined) return within.includes(id) ? [] : fieldsOf(component(id) ?? {}, id, [...within, id]);
  const parts = [...anyOf, ...(items ? [items] : [])].flatMap((part) => fieldsOf(part, path, within));
  const own = Object.entries(properties).flatMap(([name, field]): Field[] => [
    { path: `${path}.${name}`, name, isOptional: !required.includes(name), isNullable: isNullable(field) },
    ...fieldsOf(field, `${path}.${name}`, within),
  ]);
  return [...parts, ...own];
}

const fields = Object.values(published.paths ?? {})
  .flatMap((path) => Object.entries(path as Readonly<Record<string, Operation>>))
  .flatMap(([, { responses }]) => Object.values(responses).flatMap(({ content = {} }) => Object.values(content)))
  .flatMap(({ schema }) => fieldsOf(schema, ''))
  // The fields of a vault that a request has named.
  .filter(({ path }) => !/^VaultSelection\.\w+$/.test(path));

/** The fields that may be left out (docs/adr/0022-http.md); a field without a value is null otherwise. */
const absent = {
  inTheSpecification: [
    'category',
    'conditions',
    'confirmationTx',
    'confirmedAt',
    'details',
    'dexPrice',
    'errors',
    'floorPrice',
    'lockedAt',
    'lockedUntil',
    'releasedAt',
    'result',
    'revokedAt',
    'unstakeHash',
  ],
  ofTransactions: [
    'expires_at',
    'expiresAt',
    'proof',
    'required_signers',
    'requiredSigners',
    'unsigned_tx',
    'unsignedTx',
  ],
  notAskedFor: ['assets', 'expanded', 'inProposal', 'investments', 'proposals', 'stakes'],
  notReadable: ['adminEmail'],
};

test('a field without a value is null, except the few that are absent', () => {
  const known = Object.values(absent).flat();
  const others = fields.filter(({ name, isOptional }) => isOptional && !known.includes(name));
  expect([...new Set(others.map(({ path }) => path))]).toEqual([]);
});

test('no field is sometimes null and sometimes absent', () => {
  const both = fields.filter(
    ({ name, isOptional, isNullable: nullable }) => isOptional && nullable && name !== 'adminEmail',
  );
  expect([...new Set(both.map(({ path }) => path))]).toEqual([]);
});

test('what the specification calls optional is absent without a value', () => {
  const optional = ['Asset.lockedAt', 'Asset.releasedAt', 'Vote.confirmedAt', 'Stake.lockedUntil', 'Proposal.result'];
  for (const path of optional)
    expect(fields).toContainEqual(expect.objectContaining({ path, isOptional: true, isNullable: false }));
});
