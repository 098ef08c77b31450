import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { lockedVault } from '../governance/staked-vault.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { errorResponse } from '../stack/error-response.ts';

const notFound = errorResponse(404, 'VAULT_NOT_FOUND');
const nothing = { lovelace: '0', assets: [], unlistedUnits: 0 };

test('a vault whose creation is in no block has empty books; those of a private vault are for whoever may read it', async () => {
  await using service = await apiService();
  const { api } = service;
  const [holder, stranger] = [signingWallet(), signingWallet()];
  const vaultId = await vaultWithTokens(service, holder, 'LOCKED', 'PRIVATE');
  const session = await logIn(service, stranger);
  for (const path of ['statement', 'remains']) {
    expect(await api.get(`/vaults/${vaultId}/${path}`, session)).toMatchObject(notFound);
    expect(await api.get(`/vaults/${randomUUID()}/${path}`)).toMatchObject(notFound);
  }
  expect(await api.get(`/vaults/${vaultId}/statement`)).toMatchObject({
    status: 200,
    body: { data: { vaultId, opening: nothing, movements: [], closing: nothing, next: null } },
  });
  expect(await api.get(`/vaults/${vaultId}/remains`)).toMatchObject({ status: 200, body: { data: { remains: [] } } });
});

test('no page of a statement is below zero, also when a gift was gone in a block from before the scan that found it', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  await service.sql.run`insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace,
      assets, seen_at, gone_at, gone_hash)
      select repeat('ff', 32), 0, id, 'custody', contract_address, 2000000, '{}', now(), now() - interval '1 s', repeat('00', 32)
      from vaults where id = ${vaultId}`;
  const page = async (after = '') => {
    const { body } = await service.api.get<{ data: { movements: { direction: string }[]; next: string } }>(
      `/vaults/${vaultId}/statement?limit=1${after}`,
    );
    return body.data;
  };
  const first = await page();
  expect(first).toMatchObject({ movements: [{ direction: 'in' }], closing: { lovelace: '2000000' } });
  expect(await page(`&after=${first.next}`)).toMatchObject({ movements: [{ direction: 'out' }], closing: nothing });
});

test('a balance lists all that is of the vault, and some of what others have sent', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  const rows = await service.sql.run<{ own: string }>`select ft_unit as own from vaults where id = ${vaultId}`;
  const own = rows[0]?.own ?? '';
  const strange = Array.from({ length: 150 }, (_, index) => '00'.repeat(28) + String(index).padStart(6, '0'));
  const send = (hash: string, units: readonly string[], goneAt: string | null = null) =>
    service.sql.query(
      `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at, gone_at, gone_hash)
        select repeat($2, 32), 0, id, 'custody', contract_address, 2000000, $3, now(), now() + $4::interval,
          case when $4::text is not null then repeat('99', 32) end
        from vaults where id = $1`,
      [vaultId, hash, JSON.stringify(Object.fromEntries(units.map((unit) => [unit, '5']))), goneAt],
    );
  await send('aa', strange.slice(0, 80), '1 minute');
  await send('bb', [...strange.slice(80), own]);
  type Held = { assets: { unit: string; quantity: string }[]; unlistedUnits: number };
  type Page = { data: { opening: Held; closing: Held; next: string | null } };
  const shown = ({ assets, unlistedUnits }: Held) => ({ units: assets.map(({ unit }) => unit), unlistedUnits });
  const held = (others: readonly string[], ...vaults: readonly string[]) => ({
    units: [...others.slice(0, 100), ...vaults].toSorted(),
    unlistedUnits: Math.max(0, others.length - 100),
  });
  const pages: unknown[] = [];
  for (let after: string | null = ''; after !== null;) {
    const query: string = after === '' ? '' : `&after=${after}`;
    const { body } = await service.api.get<Page>(`/vaults/${vaultId}/statement?limit=1${query}`);
    pages.push([shown(body.data.opening), shown(body.data.closing)]);
    after = body.data.next;
  }
  const [first, both, last] = [held(strange.slice(0, 80)), held(strange, own), held(strange.slice(80), own)];
  expect(pages).toEqual([
    [held([]), first],
    [first, both],
    [both, last],
  ]);
});

test('a page of a statement is refused with the parameter that is wrong', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  for (const query of [
    'after=x',
    `after=${Buffer.from('1/2/aa/in/addr').toString('base64url')}`,
    'limit=0',
    'limit=1001',
  ]) {
    const errors = [{ field: query.split('=')[0] }];
    expect(await service.api.get(`/vaults/${vaultId}/statement?${query}`)).toMatchObject(
      errorResponse(400, 'INVALID_REQUEST', { errors }),
    );
  }
});

test('what remains of a vault is put together once for a page and its total', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  using recorded = recordStatements();
  const remains = await service.api.get(`/vaults/${vaultId}/remains?place=custody`);
  expect(remains).toMatchObject({
    status: 200,
    body: { data: { remains: [] }, metadata: { pagination: { total: 0 } } },
  });
  const read = recorded.statements().find(({ text }) => text.includes('unspent'));
  expect(read?.text.split('jsonb_array_elements(outputs)')).toHaveLength(2);
});

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** The most rows that a step of a plan reads in all its repetitions. */
function mostRows({ 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] }: PlanNode): number {
  return Math.max(rows * loops, ...Plans.map(mostRows));
}

test('a statement reads each transaction and each address of a vault once, however many there are', async () => {
  await using service = await apiService();
  const count = 1_000;
  const { vaultId } = await lockedVault(service, Array<number>(count).fill(1));
  await service.sql.run`update stakes set script_address = wallet where vault_id = ${vaultId}`;
  await service.sql.run`analyze`;
  using recorded = recordStatements();
  for (const path of ['statement', 'remains'])
    expect((await service.api.get(`/vaults/${vaultId}/${path}?limit=100`)).status).toBe(200);
  const reads = recorded.statements().filter(({ text }) => text.includes('jsonb_array_elements(outputs)'));
  expect(reads).toHaveLength(2);
  for (const { text, values } of reads) {
    const { rows } = await service.sql.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (analyze, format json) ${text}`,
      [...values],
    );
    const most = rows.flatMap((row) => row['QUERY PLAN']).map(({ Plan }) => mostRows(Plan));
    expect(Math.max(...most)).toBeLessThan(3 * count);
  }
  // Postgres would compile such statements for longer than it runs them.
  const { rows } = await sql<{ jit: string }>`show jit`.execute(service.db);
  expect(rows).toEqual([{ jit: 'off' }]);
});

test('reads of books that take long leave connections for all other requests, and few of them wait', async () => {
  await using service = await apiService({ DATABASE_CONNECTIONS: '4' });
  const vaultId = await vaultWithTokens(service, signingWallet());
  const reads = await holdLocks(service, 'lock table unsolicited_outputs', async (held) => {
    const paths = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 'statement' : 'remains'));
    const waiting = Promise.all(paths.map((path) => service.api.get(`/vaults/${vaultId}/${path}`)));
    await held.reached();
    expect(await service.api.get('/vault-types')).toMatchObject({ status: 200 });
    return { waiting };
  });
  const statuses = (await reads.waiting).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(6).fill(200), ...Array<number>(6).fill(429)]);
});
