import { expect, test } from '@jest/globals';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

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
    expect(await page(query)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { errors: [expect.objectContaining({ field })] } } },
    });
  }
  expect(await page('page=500&limit=20')).toMatchObject({ status: 200, body: { data: { vaults: [] } } });
});
