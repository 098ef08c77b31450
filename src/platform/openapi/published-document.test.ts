import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { blake2b256 } from '../../cardano/blake2b.ts';
import { defaultDurationBounds, instant } from '../units/time.ts';
import { builtInAssetTypes, builtInVaultTypes } from '../../types/rules.ts';
import { type Inclusion, verifyInclusion } from '../../anchoring/rules/merkle.ts';
import { parseAssetName } from '../../assets/rules/asset.ts';
import type { VaultAsset } from '../../proposals/rules/affected-assets.ts';
import { proofExample } from '../../anchoring/routes.ts';
import { openApiDocument, introduction } from './document.ts';
import { proposalExamples, parseEffect, CreateProposal } from '../../proposals/routes/request.ts';
import { apiRoutes } from '../../routes.ts';
import { withContracts } from './route.ts';
import { CreateVault, exampleVault } from '../../vaults/routes/request.ts';
import { vaultProblems } from '../../vaults/routes/parse-vault.ts';
import { proposalEffectFields, resolveEffect } from '../../proposals/rules/effects.ts';

const all = withContracts(apiRoutes, 'v1');
const published = openApiDocument(all, 'v1');
/** Of CIP-30. */
const methodsOfWallets = new Set(['signData', 'signTx']);
const operations = [...all.api, ...all.open].map((route) => [route.operationId, route] as const);

test.each(operations)('%s has a description beyond its summary', (_id, { description, summary }) => {
  expect(description).toBeDefined();
  expect(description).not.toBe(summary);
  // Sentences that were put together run into each other where a space is missing.
  expect(description).not.toMatch(/[.;][A-Z`]|^\s|\s$/);
});

test.each(operations.filter(([, { method }]) => method !== 'get'))(
  '%s describes its success response',
  (_id, { success }) => {
    expect(success).toBeDefined();
  },
);

test('every operation is in a group of its own subject, and the groups are described', () => {
  const { tags = [], paths = {} } = published;
  expect(tags.map(({ name }) => name).slice(0, 4)).toEqual(['Login', 'Events', 'Vaults', 'Assets']);
  const tagsOfPath = (path: string) =>
    Object.values(paths[path] ?? {}).map((operation: { tags?: string[] }) => operation.tags?.join());
  expect(new Set(Object.keys(paths).flatMap(tagsOfPath))).toEqual(new Set(tags.map(({ name }) => name)));
  expect(new Set(tagsOfPath('/api/v1/vaults/{vaultId}'))).toEqual(new Set(['Vaults']));
  expect(tagsOfPath('/api/v1/versions/metrics')).toEqual(['Service']);
  expect(tagsOfPath('/api/v1/vaults/{vaultId}/assets')).toEqual(['Assets', 'Assets']);
  expect(tagsOfPath('/api/v1/proposals/{proposalId}/votes')).toEqual(['Governance', 'Governance']);
});

test('the introduction names operations that exist, from the login to a claim', () => {
  const named = [...introduction.matchAll(/`([a-z]+[A-Z]\w+|invest|stake|unstake|claim)`/g)].map(
    ([, name = '']) => name,
  );
  const known = new Set<string>(operations.map(([id]) => id));
  expect(named.filter((name) => !known.has(name) && !methodsOfWallets.has(name))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(['createNonce', 'addWitnesses', 'listEntitlements', 'claim']));
});

test.each(operations.filter(([, { body }]) => body))('%s has an example request', (_id, { examples = {} }) => {
  expect(Object.keys(examples)).not.toEqual([]);
});

describe('every example request', () => {
  const shown = operations.flatMap(([id, { body, examples }]) =>
    Object.entries(examples ?? {}).map(([name, value]) => [`${id}: ${name}`, body, value] as const),
  );

  test.each(shown)('is valid for its operation (%s)', (_name, body, value) => {
    expect(body?.safeParse(value).error).toBeUndefined();
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  });

  test('is in the document', () => {
    const text = JSON.stringify(published);
    for (const [name, , value] of shown) expect([name, text.includes(JSON.stringify({ value }))]).toEqual([name, true]);
  });

  test('creates a valid vault', () => {
    const types = {
      vaultTypes: new Map(Object.entries(builtInVaultTypes)),
      assetTypes: new Map(Object.entries(builtInAssetTypes)),
    };
    const circumstances = { now: instant(0), networkId: 0, bounds: defaultDurationBounds, types } as const;
    expect(vaultProblems(CreateVault.parse(exampleVault), circumstances)).toEqual([]);
  });

  test.each(Object.entries(proposalExamples))('proposes an action that can be executed (%s)', (_name, example) => {
    const { proposal_details: details } = CreateProposal.parse(example);
    const held = details.affected_assets.map(({ policy_id: policyId, asset_name: name }): VaultAsset => {
      return { id: name, policyId, assetNameHex: parseAssetName(name) ?? '', status: 'LOCKED' };
    });
    const requested = parseEffect(details, 0, proposalEffectFields);
    expect(resolveEffect(requested, held, proposalEffectFields).terms).not.toEqual({});
  });
});

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { schema: Schema }>>;
      }
    >
  >;
}

/** What it refers to, with what is said of it here. */
function resolved({ $ref, ...schema }: Schema): Schema {
  const id = $ref?.split('/').at(-1) ?? '';
  return { ...(published.components?.schemas?.[id] as Schema | undefined), ...schema };
}

/** The fields, by their paths, that their name and their kind alone say too little of. */
function fieldsToDescribe(schema: Schema, path = ''): (readonly [path: string, field: Schema])[] {
  const { properties = {}, required = [], items, anyOf = [] } = resolved(schema);
  const inside = [...anyOf, ...(items ? [items] : [])].flatMap((part) => fieldsToDescribe(part, path));
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const found = resolved(field);
    const isAmount =
      ['number', 'integer', 'boolean'].includes(String(found.type)) || found.pattern === String.raw`^\d+$`;
    const isTime = found.format === 'date-time' && !/^(created_?at|timestamp)$/i.test(name);
    // Where every field may be absent, that is said of the whole.
    const isOptional = required.length > 0 && !required.includes(name);
    const mayLack = isOptional || Array.isArray(found.type) || found.anyOf !== undefined;
    const needsDescription = isAmount || isTime || mayLack || found.enum !== undefined;
    const at = `${path}.${name}`;
    return [...(needsDescription ? [[at, found] as const] : []), ...fieldsToDescribe(field, at)];
  });
  return [...fields, ...inside];
}

const responseFields = Object.values(published.paths ?? {})
  .flatMap((path) => Object.values(path as Readonly<Record<string, Operation>>))
  .map(({ operationId, responses }) => {
    const schemas = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
    return [operationId, schemas.flatMap(({ schema }) => fieldsToDescribe(schema))] as const;
  });

test.each(responseFields)(
  '%s describes every amount, time, enum and nullable field of its responses',
  (_id, fields) => {
    expect(fields.filter(([, { description }]) => description === undefined).map(([path]) => path)).toEqual([]);
  },
);

describe('every example response', () => {
  const shown = operations.flatMap(([id, { responses }]) =>
    Object.values(responses).flatMap((schema) =>
      schema ? examplesIn(schema).map((one) => [id, ...one] as const) : [],
    ),
  );

  test.each(shown)('is valid (%s)', (_id, schema, example) => {
    expect(z.parse(schema, example)).toEqual(example);
  });

  test('can be verified as the description says', () => {
    expect(verifyInclusion(blake2b256, proofExample as Inclusion)).toBe(true);
  });
});

function examplesIn(schema: z.ZodType): (readonly [z.core.$ZodType, unknown])[] {
  const found: (readonly [z.core.$ZodType, unknown])[] = [];
  z.toJSONSchema(schema, {
    override: ({ zodSchema, jsonSchema: { examples = [] } }) => {
      found.push(...examples.map((example) => [zodSchema, example] as const));
    },
  });
  return found;
}

test('a reference to a schema has only a description beside it: any other keyword would hold as well', () => {
  const found: unknown[] = [];
  JSON.stringify(published, (_name, part: unknown) => {
    const { $ref, description: _, ...others } = Object(part) as Schema;
    if ($ref?.startsWith('#/components/schemas/') && Object.keys(others).length > 0) found.push(part);
    return part;
  });
  expect(found).toEqual([]);
});

test('a vault needs its type in one of two fields', () => {
  expect(published.components?.schemas?.['CreateVault']).toMatchObject({
    anyOf: [{ required: ['vault_type'] }, { required: ['privacy_type'] }],
  });
});

test.each([
  ['CreateVault', 'governance_settings'],
  ['CreateProposal', 'governance_thresholds'],
])('every threshold and number of cosigners in %s has a description', (id, part) => {
  const schema = published.components?.schemas?.[id] as { properties: Record<string, { properties: object }> };
  for (const [name, field] of Object.entries(schema.properties[part]?.properties ?? {})) {
    expect([name, (field as { description?: string }).description]).toEqual([name, expect.any(String)]);
  }
});
