import { expect, test } from '@jest/globals';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { depositedVault } from './deposited-vault.ts';
import { plannedAnew } from './kept-plans.ts';
import { scansOf } from './plan-scans.ts';
import { cached, recordStatements, type Statement } from './recorded-statements.ts';

/** Lists that begin at the end of an index of a whole table. */
const ofWholeTables = ['/vaults?limit=20', '/transactions'];

test('reads are planned once and scan no table, for a key, a participant and a stranger', async () => {
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
  const rows = await service.sql.run<{ id: string }>`select id from stakes limit 1`;
  const callers = [{}, first.session, second.session, await logIn(service, signingWallet())];
  const paths = [
    '/vaults?limit=20',
    `/vaults/${vaultId}`,
    `/vaults/${deposited.vaultId}`,
    ...['assets', 'investments', 'stakes', 'proposals'].flatMap((list) => [
      `/vaults/${vaultId}/${list}`,
      `/vaults/${deposited.vaultId}/${list}`,
    ]),
    `/vaults/${deposited.vaultId}/assets/${deposited.assetId}`,
    `/vaults/${deposited.vaultId}/investments/${deposited.investmentId}`,
    `/transactions/${deposited.hash}`,
    ...['valuation', 'metrics', 'activity', 'activity?types=all'].flatMap((part) => [
      `/vaults/${vaultId}/${part}`,
      `/vaults/${deposited.vaultId}/${part}`,
    ]),
    `/proposals/${proposalId}`,
    `/proposals/${proposalId}/votes`,
    `/votes/${voted.body.vote_id}`,
    `/stakes/${rows[0]?.id ?? ''}`,
    '/transactions',
    `/vaults/${vaultId}/proposals?status=ACTIVE`,
    `/vaults/${deposited.vaultId}/quote?lovelace=5000000`,
    `/proposals/${proposalId}/cosigners`,
    `/wallets/${first.address}/voting-power?proposalId=${proposalId}`,
    `/events?vaultId=${vaultId}&after=1`,
    `/events?proposalId=${proposalId}&after=1`,
    `/anchors/${voted.body.vote_id}/proof`,
  ];

  using recorded = recordStatements();
  const refused: string[] = [];
  const [ofOneResource, everyRead]: [Statement[], Statement[]] = [[], []];
  for (const path of paths) {
    for (const caller of callers) {
      const { status, headers } = await api.get(path, caller);
      const sent = recorded.statements(headers.get('x-correlation-id') ?? '');
      const read = sent.filter(({ text }) => !cached.test(text));
      everyRead.push(...read);
      if (!ofWholeTables.includes(path)) ofOneResource.push(...read);
      if (status !== 200) refused.push(path);
    }
  }
  expect(refused).toEqual([]);
  expect(await plannedAnew(service.sql, everyRead)).toEqual([]);
  expect(await scansOf(service.sql, ofOneResource)).toEqual([]);
});

test('amounts above 2^53 and times with microseconds come through exactly from inside JSON columns', async () => {
  await using service = await apiService();
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const { address, session } = people[0]!;
  const proposalId = await propose(service, vaultId, address);
  await service.api.post(`/proposals/${proposalId}/votes`, voteBody(address, 10, 'yes'));
  await service.sql.run`update votes set amount = 9007199254740993, cast_at = '2026-11-22T23:06:10.123456Z'`;
  await service.sql.run`update windows set starts_at = '2026-11-22T23:06:10.999999Z' where kind = 'asset'`;

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
