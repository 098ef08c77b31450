import { expect, test } from '@jest/globals';
import { eventClient } from '../events/event-client.ts';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { apiClient } from '../stack/api-client.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { signingWallet } from './signing-wallet.ts';

interface ProposalRead {
  readonly data: { readonly votes: { readonly approveBaseUnits: string } };
}
interface VaultRead {
  readonly data: {
    readonly name: string;
    readonly phase: string;
    readonly contributorWhitelist: readonly string[];
    readonly allowedActions: readonly { readonly action: string; readonly reason: string | null }[];
  };
}

const HOUR_MS = 3_600_000;

const reasonOf = ({ data }: VaultRead, wanted: string) =>
  data.allowedActions.find(({ action }) => action === wanted)?.reason;

/** An api that reuses what it has read until it hears of a change: the second after which it would read again never comes. */
async function cachingApi(service: ApiService) {
  const { url } = await service.startAnother({ responseCacheMs: HOUR_MS });
  return Object.assign(
    apiClient(() => `${url}/api/v1`, service.adminKey),
    { url },
  );
}

async function newVault({ api }: ApiService, more: object = {}): Promise<string> {
  const body = { ...vaultBody(newWallet().address), ...more };
  return (await api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
}

/** Changes a vault without an event, until the api does not show it: the response is cached. Returns the new name. */
async function renameUnheard({ sql }: ApiService, read: () => Promise<string>): Promise<string> {
  await sql.run`alter table vaults disable trigger user`;
  let renamed = 0;
  return until(
    async () => {
      const name = `Renamed ${(renamed += 1)}`;
      await read();
      await sql.run`update vaults set name = ${name}`;
      return (await read()) === name ? null : name;
    },
    { what: 'a cached response' },
  );
}

test('a caller reads their own change at once, and in another process as soon as that has heard of it', async () => {
  await using service = await apiService();
  const apis = [await cachingApi(service), await cachingApi(service)] as const;
  const { people, vaultId } = await loggedInMembers(service, [80_000, 80_000, 80_000]);
  const proposal = `/proposals/${await propose(service, vaultId, people[0]!.address)}`;
  const vault = `/vaults/${await newVault(service)}`;
  const read = async (api: ApiService['api']) => {
    const [voted, changed] = [await api.get<ProposalRead>(proposal), await api.get<VaultRead>(vault)];
    return {
      votes: Number(voted.body.data.votes.approveBaseUnits) / 10e6,
      listed: changed.body.data.contributorWhitelist.length,
      isPaused: reasonOf(changed.body, 'addAsset') === 'OPERATION_PAUSED',
    };
  };
  for (const api of apis) await read(api);

  const expected = { votes: 0, listed: 0, isPaused: false };
  for (const [number, { address }] of people.slice(0, -1).entries()) {
    const [one, other] = number % 2 === 0 ? apis : [apis[1], apis[0]];
    await one.post(`${proposal}/votes`, voteBody(address, 10, 'yes'));
    const change = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
    expect(await one.patch(`${vault}/allowlist`, change)).toMatchObject({ status: 200 });
    if (expected.isPaused) await one.del('/pauses/contribution');
    else await one.put('/pauses/contribution', { reason: 'A test' });
    Object.assign(expected, { votes: number + 1, listed: number + 1, isPaused: !expected.isPaused });
    expect(await read(one)).toEqual(expected);
    await until(async () => JSON.stringify(await read(other)) === JSON.stringify(expected), {
      what: 'the other process to hear of the change',
    });
  }
});

test('a change of the worker is read once its event has its number', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const path = `/vaults/${await newVault(service)}`;
  const name = async () => (await api.get<VaultRead>(path)).body.data.name;
  const renamed = await renameUnheard(service, name);
  await service.sql.run`insert into outbox (id, type, actor, correlation_id, data, occurred_at)
     select gen_random_uuid(), type, actor, correlation_id, data, occurred_at from outbox limit 1`;
  expect(await until(async () => (await name()) === renamed, { what: 'the new name' })).toBe(true);
});

test('who gets an event reads what it tells of from the process that sent it', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const vaultId = await newVault(service);
  const path = `/vaults/${vaultId}`;
  const listed = async () => (await api.get<VaultRead>(path)).body.data.contributorWhitelist.length;
  using client = eventClient(api.url, { apiKey: service.adminKey });
  await client.connected();
  await client.subscribe({ vaultId });
  const seen: Promise<number>[] = [];
  client.socket.on('events', ({ events }: { events: { type: string }[] }) => {
    if (events.some(({ type }) => type === 'VAULT_ALLOW_LIST_CHANGED')) seen.push(listed());
  });
  for (let change = 1; change <= 10; change += 1) {
    await listed();
    const added = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
    expect(await service.api.patch(`${path}/allowlist`, added)).toMatchObject({ status: 200 });
    await until(() => seen.length >= change, { what: 'the event' });
  }
  expect(await Promise.all(seen)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('what one caller may read is not read by another: a private vault, and what a wallet may do', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const [admin, stranger] = [signingWallet(), signingWallet()];
  const hidden = `/vaults/${await newVault(service, {
    ...{ vault_type: 'private', privacy_type: 'private' },
    admin_user: { wallet_address: admin.address },
  })}`;
  const [asAdmin, asStranger] = [await logIn(service, admin), await logIn(service, stranger)];
  for (let time = 0; time < 2; time += 1) {
    expect(await api.get(hidden)).toMatchObject({ status: 200 });
    expect(await api.get(hidden, asAdmin)).toMatchObject({ status: 200 });
    expect(await api.get(hidden, asStranger)).toMatchObject({ status: 404 });
  }

  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const reads = [];
  for (const { session } of people) reads.push(await api.get<VaultRead>(`/vaults/${vaultId}`, session));
  expect(reads.map(({ body }) => reasonOf(body, 'propose'))).toEqual([null, 'CREATION_THRESHOLD_NOT_MET']);
  expect(new Set(reads.map(({ headers }) => headers.get('etag'))).size).toBe(2);
});

test('a caller that has the response gets 304 until it changes', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const path = `/vaults/${await newVault(service)}`;
  const tag = (await api.get(path)).headers.get('etag') ?? '';
  const withTag = { headers: { 'if-none-match': tag } };
  for (let time = 0; time < 2; time += 1) expect(await api.get(path, withTag)).toMatchObject({ status: 304, body: '' });
  const change = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
  await api.patch(`${path}/allowlist`, change);
  expect(await api.get(path, withTag)).toMatchObject({ status: 200 });
});

test('what time changes is read again when the development clock moves', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const path = `/vaults/${await newVault(service)}`;
  await service.sql.run`update windows
      set ends_at = now() + interval '30 minutes', starts_at = now() - interval '1 minute', status = 'ACTIVE'`;
  const phase = async () => (await api.get<VaultRead>(path)).body.data.phase;
  await until(async () => (await phase()) === 'asset_and_investment_window', { what: 'the windows to be open' });
  await service.advance(2000);
  expect(await until(async () => (await phase()) === 'finality', { what: 'the windows to be over' })).toBe(true);
});

test('nothing is cached while the connection that hears of changes is lost', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const path = `/vaults/${await newVault(service)}`;
  const name = async () => (await api.get<VaultRead>(path)).body.data.name;
  const renamed = await renameUnheard(service, name);
  await service.sql.run`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %events%'`;
  expect(await until(async () => (await name()) === renamed, { what: 'a read from Postgres' })).toBe(true);
});

test('each read of personal data is noted, also one that is answered from the cache', async () => {
  await using service = await apiService();
  const { url, stop } = await service.startAnother({ responseCacheMs: HOUR_MS });
  const api = apiClient(() => `${url}/api/v1`, service.adminKey);
  const path = `/vaults/${await newVault(service)}`;
  for (let time = 0; time < 3; time += 1) await api.get(path);
  await stop();
  const rows = await service.sql.run`select metadata from audit_log where action = 'PERSONAL_DATA_READ'`;
  expect(rows).toEqual([{ metadata: expect.objectContaining({ count: 3 }) }]);
});

test('nothing is cached of a refusal', async () => {
  await using service = await apiService();
  const api = await cachingApi(service);
  const path = `/vaults/${await newVault(service)}`;
  await service.sql.run`alter table vaults disable trigger user`;
  await service.sql.run`update vaults set deleted_at = now()`;
  for (let time = 0; time < 2; time += 1) expect(await api.get(path)).toMatchObject({ status: 404 });
  await service.sql.run`update vaults set deleted_at = null`;
  for (let time = 0; time < 2; time += 1) expect(await api.get(path)).toMatchObject({ status: 200 });
});
