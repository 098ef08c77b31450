import { describe, expect, test } from '@jest/globals';
import { apiRoutes } from '../../routes.ts';
import { openApiDocument } from './document.ts';

const published = openApiDocument(apiRoutes, 'v1');
const operations = apiRoutes.api.map((route) => [route.operationId, route] as const);

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly links?: Readonly<
    Record<string, { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }>
  >;
}

const responses = Object.values(published.paths ?? {})
  .flatMap((path) => Object.values(path as Readonly<Record<string, Operation>>))
  .flatMap(({ operationId, responses: own }) => Object.values(own).map((response) => [operationId, response] as const));

function resolved(schema: Schema): Schema {
  const id = schema.$ref?.split('/').at(-1);
  return id === undefined ? schema : (published.components?.schemas?.[id] as Schema);
}

/** The field of a response that a JSON pointer names. */
function fieldAt({ content }: Response, pointer: string): Schema | undefined {
  const names = pointer.split('/').slice(1);
  return names.reduce<Schema | undefined>((schema, name) => {
    const { items, properties } = resolved(schema ?? {});
    return /^\d+$/.test(name) ? items : properties?.[name];
  }, content?.['application/json']?.schema);
}

const links = responses.flatMap(([from, response]) =>
  Object.values(response.links ?? {}).map((link) => [from, link.operationId, link, response] as const),
);

describe('every link', () => {
  const followers = (id: string) => links.filter(([from]) => from === id).map(([, to]) => to);

  test.each([
    [['createVault', 'createProposal', 'castVote', 'freezeExecution', 'executeProposal', 'readTransaction']],
    [['createVault', 'addAsset', 'addWitnesses', 'readTransaction']],
    [['createVault', 'createDeposit', 'removeAsset', 'readTransaction']],
    [['createVault', 'invest', 'removeInvestment', 'readTransaction']],
    [['createVault', 'stake', 'unstake', 'addWitnesses', 'readTransaction']],
    [['createVault', 'claim', 'readClaim']],
    [['claim', 'addWitnesses', 'readTransaction']],
    [['createProposal', 'endorseProposal', 'castVote', 'revokeVote', 'readTransaction']],
    [['freezeExecution', 'addWitnesses']],
  ])('of a flow is there (%j)', (steps) => {
    for (const [index, step] of steps.slice(1).entries()) expect(followers(steps[index] ?? '')).toContain(step);
  });

  test('leads from creating a vault to every operation of vaults, proposals and transactions', () => {
    const reached = new Set(['createVault']);
    for (const id of reached) for (const follower of followers(id)) reached.add(follower);
    const needsId = operations.filter(([, { path }]) =>
      /^\/(vaults|stakes|proposals|votes|transactions)\/:/.test(path),
    );
    expect(needsId.map(([id]) => id).filter((id) => !reached.has(id))).toEqual([]);
  });

  test('leads from every response that names a transaction to that transaction', () => {
    const namesTransaction = (id: string) =>
      responses.some(
        ([from, response]) =>
          from === id && (fieldAt(response, '/transaction') ?? fieldAt(response, '/data/transaction')) !== undefined,
      );
    const naming = operations.filter(([id, { method }]) => method !== 'get' && namesTransaction(id));
    expect(naming.map(([id]) => id).filter((id) => !followers(id).includes('readTransaction'))).toEqual([]);
  });

  test.each(links)('from %s to %s names fields of the response', (_from, _to, { parameters }, response) => {
    for (const expression of Object.values(parameters)) {
      const field = fieldAt(response, expression.replace('$response.body#', ''));
      expect([expression, field]).toEqual([expression, expect.anything()]);
    }
  });
});
