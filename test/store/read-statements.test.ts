import { expect, test } from '@jest/globals';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { scansOf, tablesOf } from './plan-scans.ts';
import { recordStatements, type Statement } from './recorded-statements.ts';

/** What each process keeps in memory, and reads now and then. */
const cached = /\bfrom "?(api_keys|sessions|clock_offset)\b|rate_limits|pg_current_snapshot/;

/** Lists that begin at the end of an index of a whole table. */
const ofWholeTables = ['/vaults?limit=20', '/transactions'];

test('each read is one statement, which scans no table, for a key, a participant and a stranger', async () => {
  await using service = await apiService();
  const { api } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000, 400_000]);
  const [first, second] = [people[0]!, people[1]!];
  const proposalId = await propose(service, vaultId, first.address);
  const voted = await api.post<{ vote_id: string }>(
    `/proposals/${proposalId}/votes`,
    voteBody(first.address, 10, 'yes'),
  );
  const deposited = await depositedVault(service);
  const { rows } = await service.sql.query<{ id: string }>('select id from stakes limit 1');
  const callers = [{}, first.session, second.session, await logIn(service, signingWallet())];
  const paths = [
    '/vaults?limit=20',
    `/vaults/${vaultId}`,
    `/vaults/${deposited.vaultId}`,
    ...['assets', 'investments', 'stakes', 'proposals'].flatMap((list) => [
      `/vaults/${vaultId}/${list}`,
      `/vaults/${deposited.vaultId}/${list}`,
    ]),
    ...deposited.paths,
    ...['valuation', 'metrics', 'activity', 'activity?types=all'].flatMap((part) => [
      `/vaults/${vaultId}/${part}`,
      `/vaults/${deposited.vaultId}/${part}`,
    ]),
    `/proposals/${proposalId}`,
    `/proposals/${proposalId}/votes`,
    `/votes/${voted.body.vote_id}`,
    `/stakes/${rows[0]?.id ?? ''}`,
    '/transactions',
  ];

  using recorded = recordStatements();
  const counts: Record<string, number[]> = {};
  const [ofOneResource, everyRead]: [Statement[], Statement[]] = [[], []];
  for (const path of paths) {
    for (const caller of callers) {
      const { status, headers } = await api.get(path, caller);
      const sent = recorded.statements(headers.get('x-correlation-id') ?? '');
      const read = sent.filter(({ text }) => !cached.test(text));
      everyRead.push(...read);
      if (!ofWholeTables.includes(path)) ofOneResource.push(...read);
      (counts[path] ??= []).push(status === 200 ? read.length : -status);
    }
  }
  expect(counts).toEqual(Object.fromEntries(paths.map((path) => [path, callers.map(() => 1)])));
  expect(await scansOf(service.sql, ofOneResource)).toEqual([]);

  expect([...(await tablesOf(service.sql, everyRead))].sort()).toEqual(
    expect.arrayContaining(['holds', 'prices', 'votes']),
  );
  expect([...(await tablesOf(service.sql, everyRead)).difference(await recordedTables(service))]).toEqual([]);
});

/** The tables whose changes end what is kept of reads. */
async function recordedTables({ sql }: ApiService): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ name: string }>(
    `select event_object_table as name from information_schema.triggers where trigger_name like 'changes_recorded_on_%'`,
  );
  return new Set(rows.map(({ name }) => name));
}

test('amounts above 2^53 and times with microseconds come through exactly from inside JSON columns', async () => {
  await using service = await apiService();
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const { address, session } = people[0]!;
  const proposalId = await propose(service, vaultId, address);
  await service.api.post(`/proposals/${proposalId}/votes`, voteBody(address, 10, 'yes'));
  await service.sql.query("update votes set amount = 9007199254740993, cast_at = '2026-11-22T23:06:10.123456Z'");
  await service.sql.query("update windows set starts_at = '2026-11-22T23:06:10.999999Z' where kind = 'asset'");

  expect(await service.api.get(`/proposals/${proposalId}`, session)).toMatchObject({
    body: {
      data: {
        votes: { approveBaseUnits: '9007199254740993' },
        own: { vote: { amountBaseUnits: '9007199254740993', castAt: '2026-11-22T23:06:10.123Z' } },
      },
    },
  });
  expect(await service.api.get(`/vaults/${vaultId}`, session)).toMatchObject({
    body: { data: { assetWindow: { startTime: '2026-11-22T23:06:10.999Z' } } },
  });
});

/** A vault with an asset, an investment and their transactions. */
async function depositedVault(service: ApiService) {
  const { api } = service;
  const [owner, investor] = [await service.fundedWallet({ Boat: '1' }), await service.fundedWallet()];
  const made = await api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  const vaultId = made.body.vault_id;
  const added = await api.post<{ asset_id: string }>(`/vaults/${vaultId}/assets`, {
    policy_id: owner.policyId,
    asset_name: 'Boat',
    wallet_address: owner.address,
  });
  const invested = await api.post<{ data: { investmentId: string; transaction: { hash: string } } }>(
    `/vaults/${vaultId}/investments`,
    { walletAddress: investor.address, lovelace: 5_000_000 },
  );
  const { investmentId, transaction } = invested.body.data;
  return {
    vaultId,
    paths: [
      `/vaults/${vaultId}/assets/${added.body.asset_id}`,
      `/vaults/${vaultId}/investments/${investmentId}`,
      `/transactions/${transaction.hash}`,
    ],
  };
}
