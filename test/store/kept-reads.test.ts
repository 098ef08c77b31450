import { expect, test } from '@jest/globals';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { wallClock } from '../../src/platform/units/clock.ts';
import { instant, isoText } from '../../src/platform/units/instant.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { readChanges } from '../../src/platform/database/recorded-changes.ts';
import { testDatabase } from '../stack/test-database.ts';
import { recordStatements } from './recorded-statements.ts';

type Api = ApiService['api'];

interface ProposalRead {
  readonly data: { readonly votes: { readonly approveBaseUnits: string }; readonly updatedAt: string };
}
interface VaultRead {
  readonly data: {
    readonly serverTime: string;
    readonly phase: string;
    readonly contributorWhitelist: readonly string[];
    readonly allowedActions: readonly { readonly action: string; readonly reason: string | null }[];
  };
  readonly metadata: { readonly timestamp: string };
}

const reasonOf = ({ data }: VaultRead, wanted: string) =>
  data.allowedActions.find(({ action }) => action === wanted)?.reason;

test('every read that begins after the response of a change shows it, in whichever process', async () => {
  await using service = await apiService();
  const apis = [service.api, await service.secondApi()] as const;
  const { people, vaultId } = await loggedInMembers(
    service,
    Array.from({ length: 12 }, () => 80_000),
  );
  const proposalId = await propose(service, vaultId, people[0]!.address);
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const openVault = `/vaults/${made.body.vault_id}`;
  const known = { votes: 0, listed: 0, isPaused: false, changing: true };

  const readers = apis.map(async (api, number) => {
    let reads = 0;
    for (; known.changing; reads += 1) {
      const before = { ...known };
      const [proposal, vault] = await Promise.all([
        api.get<ProposalRead>(`/proposals/${proposalId}`, number === 0 ? {} : people[1]!.session),
        api.get<VaultRead>(openVault),
      ]);
      const votes = Number(proposal.body.data.votes.approveBaseUnits) / 10e6;
      expect(votes).toBeGreaterThanOrEqual(before.votes);
      expect(vault.body.data.contributorWhitelist.length).toBeGreaterThanOrEqual(before.listed);
    }
    return reads;
  });

  try {
    for (const { address } of people.slice(0, -1)) {
      const [one, other] = Math.random() < 0.5 ? apis : ([...apis].reverse() as [Api, Api]);
      await one.post(`/proposals/${proposalId}/votes`, voteBody(address, 10, 'yes'));
      known.votes += 1;
      const change = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
      expect(await other.patch(`${openVault}/allowlist`, change)).toMatchObject({ status: 200 });
      known.listed += 1;
      known.isPaused = !known.isPaused;
      if (known.isPaused) await one.put('/pauses/contribution', { reason: 'A test' });
      else await other.del('/pauses/contribution');
      for (const api of apis) {
        const { body } = await api.get<VaultRead>(openVault);
        expect(reasonOf(body, 'addAsset') === 'OPERATION_PAUSED').toBe(known.isPaused);
      }
    }
  } finally {
    known.changing = false;
  }
  for (const reads of await Promise.all(readers)) expect(reads).toBeGreaterThan(10);
});

test('what is kept is returned for one small statement, with the present time, to those with the same rights alone', async () => {
  await using service = await apiService();
  const { api } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const path = `/vaults/${vaultId}`;
  const first = await api.get<VaultRead>(path);

  using recorded = recordStatements();
  const again = await api.get<VaultRead>(path);
  const sent = recorded.statements(again.headers.get('x-correlation-id') ?? '');
  const read = sent.map(({ text }) => text).filter((text) => !text.includes('rate_limits'));
  expect(read).toEqual([expect.stringContaining('pg_current_snapshot')]);
  const { serverTime } = again.body.data;
  expect(Date.parse(serverTime)).toBeGreaterThan(Date.parse(first.body.data.serverTime));
  expect(again.body.metadata.timestamp).toBe(serverTime);
  const timeless = { serverTime: '', phaseEndsAt: null };
  expect({ ...again.body.data, ...timeless }).toEqual({ ...first.body.data, ...timeless });
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  const tag = again.headers.get('etag') ?? '';
  expect(await api.get(path, { headers: { 'if-none-match': tag } })).toMatchObject({ status: 304, body: '' });

  const own = await api.get<VaultRead>(path, people[0]!.session);
  expect(reasonOf(own.body, 'propose')).toBeNull();
  expect(own.headers.get('etag')).not.toBe(tag);
  const stranger = await api.get<VaultRead>(path, people[1]!.session);
  expect(reasonOf(stranger.body, 'propose')).toBe('CREATION_THRESHOLD_NOT_MET');
});

test('what time alone changes is read anew: the end of a window, and of what a stake counts', async () => {
  await using service = await apiService();
  const { api } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const { session } = people[0]!;
  const made = await api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const openVault = `/vaults/${made.body.vault_id}`;
  await service.sql.query(
    `update windows set ends_at = now() + interval '30 minutes', starts_at = now() - interval '1 minute', status = 'ACTIVE'`,
  );
  await service.sql.query(`update stakes set owner_alone_from = now() + interval '1 hour'`);
  const read = async () => {
    const [open, locked] = await Promise.all([
      api.get<VaultRead>(openVault),
      api.get<VaultRead>(`/vaults/${vaultId}`, session),
    ]);
    return [open.body.data.phase, reasonOf(open.body, 'addAsset'), reasonOf(locked.body, 'propose')];
  };
  const before = ['asset_and_investment_window', null, null];
  for (let time = 0; time < 3; time += 1) expect(await read()).toEqual(before);

  await service.advance(2000);
  await until(async () => (await read())[0] === 'finality', { what: 'the windows to be over' });
  expect(await read()).toEqual(['finality', 'ASSET_WINDOW_CLOSED', null]);
  await service.advance(2000);
  await until(async () => (await read())[2] !== null, { what: 'the stake to count no more' });
  expect(await read()).toEqual(['finality', 'ASSET_WINDOW_CLOSED', 'CREATION_THRESHOLD_NOT_MET']);
});

test('reads that come together read once, and one that comes during a read waits for it, unless something changes', async () => {
  await using service = await apiService();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const path = `/vaults/${body.vault_id}`;
  await service.api.get(path);
  const change = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
  expect(await service.api.patch(`${path}/allowlist`, change)).toMatchObject({ status: 200 });

  using recorded = recordStatements();
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.api.get<VaultRead>(path)));
  for (const answer of answers) expect(answer.body.data.contributorWhitelist).toEqual(change.addresses);
  const reads = recorded.statements().filter(({ text }) => text.includes('from "vaults"'));
  expect(reads.length).toBeLessThan(5);
});

test('a query that is written in another way is the same read', async () => {
  await using service = await apiService();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const path = `/vaults/${body.vault_id}`;
  await service.api.get(path);
  await service.api.get(`${path}?fields=name,status&version=v1`);

  using recorded = recordStatements();
  for (const query of ['?version=v1&fields=status&fields=name', '?fields=status,name,status&version=v1'])
    expect(await service.api.get(`${path}${query}`)).toMatchObject({ status: 200 });
  expect(recorded.statements().filter(({ text }) => text.includes('from "vaults"'))).toEqual([]);
});

test('a position that is too old says nothing of what has changed, whatever the clock of the process', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const now = wallClock.now();
  const { position } = await readChanges(db, null, now);
  expect((await readChanges(db, position, now)).changed).toEqual([]);
  const [young, old] = [29, 31].map((minutes) => ({
    ...position,
    readAt: isoText(instant(Date.parse(position.readAt) - minutes * 60_000)),
  }));
  expect((await readChanges(db, young!, now)).changed).toEqual([]);
  expect((await readChanges(db, old!, now)).changed).toBeNull();
  await db.destroy();
});

test('nothing is kept of a refusal', async () => {
  await using service = await apiService();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const path = `/vaults/${body.vault_id}`;
  const { sql } = service;
  await sql.query('alter table vaults disable trigger user');
  await sql.query('update vaults set deleted_at = now()');
  for (let time = 0; time < 2; time += 1) expect(await service.api.get(path)).toMatchObject({ status: 404 });
  await sql.query('update vaults set deleted_at = null');
  for (let time = 0; time < 2; time += 1) expect(await service.api.get(path)).toMatchObject({ status: 200 });
});
