import { expect, test } from '@jest/globals';
import { apiService, newWallet } from './api-service.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

interface VaultList {
  data: { vaults: { id: string }[] };
  metadata: { pagination: { next: string | null; total: number } };
}

async function serviceWithVaults(names: readonly string[]) {
  const service = await apiService();
  const { address } = newWallet();
  const create = async (name: string) => {
    const { body } = await service.api.post<{ vault_id: string }>('/vaults', {
      ...vaultBody(address),
      vault_name: name,
    });
    return body.vault_id;
  };
  const ids = new Map<string, string>();
  for (const name of names) ids.set(await create(name), name);
  const page = (query: string) => service.api.get<VaultList>(`/vaults?${query}`);
  return { service, create, ids, page };
}

test.each(['name:asc', 'name:desc', 'createdAt:desc', 'status:asc'])(
  'pages that follow each other in the order %s show each vault once, also when others are created meanwhile',
  async (sort) => {
    const { service, create, ids, page } = await serviceWithVaults(['Quay', 'Abbey', 'Mill', 'Abbey', 'Tower']);
    await using _ = service;
    const seen: string[] = [];
    let after = '';
    for (let pages = 0; pages < 20; pages += 1) {
      const { body } = await page(`limit=2&sort=${sort}${after}`);
      seen.push(...body.data.vaults.map(({ id }) => id));
      if (body.metadata.pagination.next === null) break;
      after = `&after=${body.metadata.pagination.next}`;
      await create('Aardvark');
    }
    const known = seen.filter((id) => ids.has(id));
    expect(known.toSorted()).toEqual([...ids.keys()].toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  },
);

test('pages and filters hold for a wallet that is logged in, also for vaults of its own', async () => {
  const { service, ids } = await serviceWithVaults(['Abbey', 'Mill', 'Quay', 'Tower']);
  await using _ = service;
  const wallet = signingWallet();
  const vaultId = await createVault(service, wallet.address);
  const session = await logIn(service, wallet);
  const list = async (query: string) => (await service.api.get<VaultList>(`/vaults?${query}`, session)).body;
  const seen: string[] = [];
  let after = '';
  for (let pages = 0; pages < 5; pages += 1) {
    const { data, metadata } = await list(`limit=2&sort=name:asc${after}`);
    seen.push(...data.vaults.map(({ id }) => id));
    if (metadata.pagination.next === null) break;
    after = `&after=${metadata.pagination.next}`;
  }
  expect(seen.toSorted()).toEqual([...ids.keys(), vaultId].toSorted());
  for (const query of ['status=LOCKED', 'type=private', `createdBy=${newWallet().address}`])
    expect(await list(query)).toMatchObject({ data: { vaults: [] }, metadata: { pagination: { total: 0 } } });
});

test('a page is refused at its field when it is too deep or follows nothing of this list', async () => {
  const { service, page } = await serviceWithVaults(['Quay']);
  await using _ = service;
  const key = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  const refusals = [
    ['page=501&limit=20', 'page'],
    ['after=garbage', 'after'],
    [`after=${key('not a time', 'not an id')}`, 'after'],
    [`after=${key('2026-01-01', '01890a5d-ac96-774b-bcce-b302099a8057\0')}`, 'after'],
    [`after=${key(1, 2)}`, 'after'],
    [`after=${key('2026-01-01T00:00:00Z', '01890a5d-ac96-774b-bcce-b302099a8057')}&page=2`, 'page'],
  ] as const;
  for (const [query, field] of refusals) {
    expect(await page(query)).toMatchObject(
      errorResponse(400, 'INVALID_REQUEST', { errors: [expect.objectContaining({ field })] }),
    );
  }
  expect(await page('page=500&limit=20')).toMatchObject({ status: 200, body: { data: { vaults: [] } } });
});

test('vaults with long whitelists make a short list, which counts their wallets', async () => {
  const { service, page, ids } = await serviceWithVaults(['Quay']);
  await using _ = service;
  const [id] = ids.keys();
  const wallets = Array.from({ length: 1000 }, (_, number) => `addr_test1${number.toString().padStart(93, '0')}`);
  await service.sql.query('update vaults set contributor_whitelist = $1, investor_whitelist = $1', [wallets]);
  const { body } = await page('limit=100');
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
  expect(body.data.vaults).toMatchObject([{ id, whitelistCounts: { assets: 0, contributors: 1000, investors: 1000 } }]);
  expect(await service.api.get(`/vaults/${id}`)).toMatchObject({
    body: { data: { contributorWhitelist: wallets, investorWhitelist: wallets } },
  });
});

test('a list says what a wallet may do as the vault itself does, on a long whitelist or not', async () => {
  const { service, ids } = await serviceWithVaults(['Quay']);
  await using _ = service;
  const [id = ''] = ids.keys();
  const [listed, stranger] = [signingWallet(), signingWallet()];
  const wallets = [newWallet().address, newWallet().address, listed.address];
  await service.sql.run`update vaults set type = 'SEMI_PRIVATE', contributor_whitelist = ${wallets}`;
  await service.sql.run`update vaults set investor_list_enabled = true, investor_whitelist = ${wallets}`;
  interface Vault {
    readonly allowedActions: readonly { readonly reason?: string }[];
  }
  const reasons: unknown[] = [];
  for (const wallet of [listed, stranger]) {
    const session = await logIn(service, wallet);
    const [list, alone] = [
      await service.api.get<{ data: { vaults: Vault[] } }>('/vaults', session),
      await service.api.get<{ data: Vault }>(`/vaults/${id}`, session),
    ];
    expect(list.body.data.vaults[0]?.allowedActions).toEqual(alone.body.data.allowedActions);
    reasons.push(alone.body.data.allowedActions.some(({ reason }) => reason === 'CONTRIBUTOR_NOT_WHITELISTED'));
  }
  expect(reasons).toEqual([false, true]);
});
