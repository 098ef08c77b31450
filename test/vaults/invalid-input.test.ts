import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiRoutes } from '../../src/routes.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { fullAsset, fullDeposit } from './full-requests.ts';
import { mutations, type Mutation, type Schema } from './schema-mutations.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Invested {
  data: { transaction: { hash: string } };
}

let service: ApiService;
let owner: Awaited<ReturnType<ApiService['fundedWallet']>>;
let vaultPath: string;
let transactionPath: string;
beforeAll(async () => {
  service = await apiService();
  owner = await service.fundedWallet({ Boat: '1', Grain: '1000' });
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  vaultPath = `/vaults/${made.body.vault_id}`;
  const investor = await service.fundedWallet();
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const invested = await service.api.post<Invested>(`${vaultPath}/investments`, investment);
  transactionPath = `/transactions/${invested.body.data.transaction.hash}`;
});
afterAll(() => service[Symbol.asyncDispose]());

const mainnetAddress = 'addr1vxeuemzvhq7xj0wvhf9c22y96auwc6m3rf3w9z0tqg2zs5q3f6kqs';
const scriptAddress = 'addr_test1wzmm5ctqaxw2v2xnlh0sp8sj9rcjmhhghzx4gwkx285r6fgp4ghu7';
const badAddresses = { foreign: mainnetAddress, script: scriptAddress, nonsense: 'nonsense' };

function fullVault() {
  const body = vaultBody(owner.address);
  return {
    ...body,
    asset_settings: {
      ...body.asset_settings,
      policy_ids: [owner.policyId],
      asset_window_start_time: new Date(Date.now() + 1000).toISOString(),
      asset_window_duration: '03:00:00',
    },
    investment_settings: {
      ...body.investment_settings,
      investment_start_time: new Date(Date.now() + 1000).toISOString(),
      ft_percentage: 50,
    },
    governance_settings: {
      ...body.governance_settings,
      voting_duration: '48h',
      lock_duration: '12h',
      execution_duration: '24h',
      cosigners: [newWallet().address],
      required_cosigners: 1,
    },
    termination: { type: 'PROGRAMMED', fdp: 5, duration: '100:00:00' },
    contributor_whitelist: [owner.address],
    investor_whitelist: [owner.address],
    metadata: { note: 'kept as it is' },
  };
}

const valueAt = (text: string, ...paths: string[]) => paths.map((field) => ({ field, value: text }));

/** Invalid values that the JSON schemas do not describe. */
const extraCases: Record<string, () => { field: string; value: unknown }[]> = {
  createVault: () => [
    ...Object.values(badAddresses).flatMap((address) => [
      ...valueAt(address, 'admin_user.wallet_address', 'contributor_whitelist.0', 'investor_whitelist.0'),
      ...valueAt(address, 'governance_settings.cosigners.0'),
    ]),
    ...valueAt('nonsense', 'vault_type', 'privacy_type', 'admin_user.email', 'asset_settings.valuation_type'),
    ...valueAt('nonsense', 'asset_settings.allowed_asset_types.0', 'asset_settings.policy_ids.0', 'termination.type'),
    ...['nonsense', '25:61:00', '-1h', '1.5h', '0h', '9999h', '99999:00:00'].flatMap((text) => [
      ...valueAt(text, 'investment_settings.investment_window_duration', 'asset_settings.asset_window_duration'),
      ...valueAt(text, 'governance_settings.voting_duration', 'governance_settings.lock_duration'),
      ...valueAt(text, 'governance_settings.execution_duration'),
    ]),
    ...['nonsense', '25:61:00', '-1h', '0h', '99999:00:00'].map((value) => ({ field: 'termination.duration', value })),
    ...['nonsense', '2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '2026-02-30T00:00:00Z'].flatMap((text) =>
      valueAt(text, 'asset_settings.asset_window_start_time', 'investment_settings.investment_start_time'),
    ),
    ...[5.001, 1e-7].map((value) => ({ field: 'investment_settings.minimum_investment_reserve', value })),
    ...['nonsense', '-1', '1.1234567', '0', '1e3', '99999999999999999999', 1e300, 12345678.123456789].map((value) => ({
      field: 'investment_settings.ft_supply',
      value,
    })),
    { field: 'privacy_type', value: 'private' },
    { field: 'vault_name', value: '   ' },
    { field: 'metadata', value: { text: 'x'.repeat(10_001) } },
    // Composed, each of them is three characters.
    { field: 'metadata', value: { text: '\ufb2c'.repeat(9_700) } },
    { field: 'metadata', value: { '\u00e9': 1, 'e\u0301': 2 } },
    // Postgres writes out each as three hundred digits, to every reader of the vault.
    { field: 'metadata', value: { many: [1e308] } },
    { field: 'metadata', value: { few: 1e-300 } },
    { field: 'metadata', value: { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } } } } },
    { field: 'governance_settings.required_cosigners', value: 2 },
  ],
  addAsset: () => [
    ...Object.values(badAddresses).map((value) => ({ field: 'wallet_address', value })),
    ...Object.values(badAddresses).map((value) => ({ field: 'stake_address', value })),
    ...['nonsense', 'a0', 'ff'.repeat(40)].map((text) => ({ field: 'utxos', value: [text] })),
    ...valueAt('nonsense', 'policy_id', 'valuation_method', 'type', 'metadata.legal_proof', 'metadata.image_url'),
    ...valueAt('javascript:alert(1)', 'metadata.legal_proof', 'metadata.image_url'),
    ...valueAt('https://known.example@other.example/', 'metadata.legal_proof', 'metadata.image_url'),
    ...['x'.repeat(33), '0xabc', '0xzz', `0x${'ab'.repeat(33)}`].map((value) => ({ field: 'asset_name', value })),
    ...['nonsense', '0', '-1', '1000001', '0.5', 1_000_001].map((value) => ({ field: 'quantity', value })),
    { field: 'valuation_method', value: 'floor_price' },
  ],
  createDeposit: () => [
    ...Object.values(badAddresses).flatMap((address) => valueAt(address, 'walletAddress', 'stakeAddress')),
    ...['nonsense', 'a0', 'ff'.repeat(40)].map((text) => ({ field: 'utxos', value: [text] })),
    ...valueAt('nonsense', 'assets.0.policyId', 'assets.0.valuationMethod', 'assets.0.type'),
    ...valueAt('javascript:alert(1)', 'assets.0.metadata.legalProof', 'assets.0.metadata.imageUrl'),
    ...['x'.repeat(33), '0xabc'].map((value) => ({ field: 'assets.0.assetName', value })),
    ...['nonsense', '0', '-1', '1000001', '0.5'].map((value) => ({ field: 'assets.0.quantity', value })),
    { field: 'assets.0.valuationMethod', value: 'floor_price' },
    { field: 'assets', value: [] },
  ],
  invest: () => [
    ...Object.values(badAddresses).map((value) => ({ field: 'walletAddress', value })),
    ...['nonsense', '-1', '0', '5000000.5', '99999999999999999', 1.5].map((value) => ({ field: 'lovelace', value })),
  ],
  addWitnesses: () => ['nonsense', 'a0', 'ff'.repeat(40)].map((value) => ({ field: 'witnessSet', value })),
  cancelVault: () => [],
};

const samples: Record<string, () => { path: string; body: object }> = {
  createVault: () => ({ path: '/vaults', body: fullVault() }),
  addAsset: () => ({ path: `${vaultPath}/assets`, body: fullAsset(owner) }),
  createDeposit: () => ({ path: `${vaultPath}/deposits`, body: fullDeposit(owner) }),
  invest: () => ({ path: `${vaultPath}/investments`, body: { walletAddress: owner.address, lovelace: 5_000_000 } }),
  addWitnesses: () => ({ path: `${transactionPath}/witnesses`, body: { witnessSet: 'a0' } }),
  cancelVault: () => ({ path: `${vaultPath}/cancel`, body: {} }),
};

test.each(Object.keys(samples))(
  '%s refuses every invalid field, names it with an error code, and changes nothing',
  async (id) => {
    const found = apiRoutes.api.find(({ operationId }) => operationId === id);
    const { path, body } = samples[id]!();
    const schema = found?.body
      ? (z.toJSONSchema(found.body, { io: 'input' }) as Schema)
      : { type: 'object', properties: {} };
    const tried = [...mutations(schema, body), ...extraMutations(id, body)];
    const before = await rowCounts();
    const wrong: unknown[] = [];
    for (const { field, how, body: mutated } of tried) {
      const { status, body: answer } = await service.api.post(path, mutated);
      const { error } = answer as {
        error?: { code: string; details?: { errors?: { field: string; code: string }[] } };
      };
      const named = error?.details?.errors?.some((problem) => problem.code && isAbout(problem.field, field));
      if (status < 400 || status >= 500 || !named) wrong.push({ field, how, status, error });
    }
    expect(wrong).toEqual([]);
    expect(await rowCounts()).toEqual(before);
  },
);

test('a body nested deeper than the call stack is refused before it is parsed, and a field nested too deep by name', async () => {
  const before = await rowCounts();
  const deep = (levels: number) =>
    JSON.stringify({ ...vaultBody(owner.address), metadata: 'deep' }).replace(
      '"deep"',
      '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
    );
  const field = { code: 'INVALID_VAULT_PARAMS', details: { errors: [{ field: 'metadata', code: 'TOO_BIG' }] } };
  const body = { code: 'BODY_TOO_LARGE', details: { maxValues: 20_000, maxDepth: 100 } };
  for (const [levels, status, error] of [
    [11, 400, field],
    [15_000, 413, body],
  ] as const)
    for (const key of [{}, { 'idempotency-key': 'deep' }]) {
      const headers = { ...key, 'content-type': 'application/json' };
      expect(await service.api.post('/vaults', deep(levels), { headers })).toMatchObject({ status, body: { error } });
    }
  expect(await rowCounts()).toEqual(before);
});

test.each([
  ['/vaults?page=0', 'page'],
  ['/vaults?page=x', 'page'],
  ['/vaults?page=1.5', 'page'],
  ['/vaults?page=99999999999', 'page'],
  ['/vaults?limit=0', 'limit'],
  ['/vaults?limit=101', 'limit'],
  ['/vaults?sort=name', 'sort'],
  ['/vaults?sort=secret:asc', 'sort'],
  ['/vaults?status=gone', 'status'],
  ['/vaults?type=2nd', 'type'],
  ['/vaults?surprise=1', 'surprise'],
  ['/vaults?status=draft&status=active', 'status'],
  [`/vaults?createdBy=${'x'.repeat(201)}`, 'createdBy'],
  ['/vaults/nonsense', 'vaultId'],
  ['/vaults/nonsense/assets', 'vaultId'],
  ['/vaults/nonsense/valuation', 'vaultId'],
  ['/vaults/nonsense/investments', 'vaultId'],
  ['/vaults/nonsense/unsolicited', 'vaultId'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/unsolicited?page=0', 'page'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/unsolicited?limit=101', 'limit'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/unsolicited?sort=address:asc', 'sort'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/assets?sort=quantity:asc', 'sort'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/assets?status=gone', 'status'],
  ['/vaults/01890a5d-ac96-774b-bcce-b302099a8057/investments?status=gone', 'status'],
  ['/transactions/nonsense', 'hash'],
])('%s is refused, and the error names %s', async (path, field) => {
  const { status, body } = await service.api.get(path);
  expect({ status, body }).toMatchObject(errorResponse(400, 'INVALID_REQUEST', { errors: [{ field }] }));
});

test.each([
  '',
  '?lovelace=',
  '?lovelace=-1',
  '?lovelace=0',
  '?lovelace=1.5',
  '?lovelace=x',
  '?lovelace=99999999999999999',
])('a quote for "%s" is refused', async (query) => {
  const { status, body } = await service.api.get(`${vaultPath}/quote${query}`);
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field: 'lovelace' }] } } },
  });
});

function extraMutations(id: string, body: object): Mutation[] {
  return extraCases[id]!().map(({ field, value }) => {
    const copy = structuredClone(body) as Record<string, unknown>;
    const steps = field.split('.');
    const last = steps.pop() ?? '';
    const place = steps.reduce<Record<string, unknown>>(
      (inside, step) => inside[step] as Record<string, unknown>,
      copy,
    );
    place[last] = value;
    return { field, how: JSON.stringify(value).slice(0, 60), body: copy };
  });
}

/** True if the problem is reported at the field itself or inside it. */
function isAbout(reported: string, field: string): boolean {
  return reported === field || reported.startsWith(`${field}.`);
}

async function rowCounts(): Promise<Record<string, number>> {
  const rows = await service.sql.run<{ name: string }>`select tablename as name from pg_tables
      where schemaname = 'public' and tablename not in ('rate_limits', 'version_usage', 'version_clients') order by 1`;
  const counts = rows.map(async ({ name }) => {
    const { rows: counted } = await service.sql.query<{ count: number }>(`select count(*)::int as count from ${name}`);
    return [name, counted[0]?.count] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
}
