import { expect, test } from '@jest/globals';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';

/** More than there are connections to Postgres. */
const READS = 30;

test('a burst of slow reads by one key, or by one wallet, leaves the reads of others answered', async () => {
  await using service = await apiService();
  const { api } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const another = await api.post<{ data: { key: string } }>('/api-keys', { name: 'another', roles: ['ADMIN'] });
  const others = [{ key: another.body.data.key }, people[1]!.session];
  for (const { burst } of [{ burst: {} }, { burst: people[0]!.session }])
    await expectOthersAnswered(service, vaultId, { bursts: [burst], others });
});

test('a burst by many wallets of one address leaves the reads of other addresses answered', async () => {
  await using service = await apiService({ TRUSTED_PROXIES: '1' });
  const { people, vaultId } = await loggedInMembers(service, [300_000, 200_000, 100_000]);
  const from = (address: string) => (person: (typeof people)[number]) => {
    const { key, headers } = person.session;
    return { key, headers: { ...headers, 'x-forwarded-for': address } };
  };
  const bursts = people.slice(0, 3).map(from('192.0.2.1'));
  await expectOthersAnswered(service, vaultId, { bursts, others: people.slice(3).map(from('192.0.2.2')) });
});

test('a burst of reads of books by a client of a key refuses those of no other address', async () => {
  await using service = await apiService({ TRUSTED_PROXIES: '1' });
  const { api, sql } = service;
  const { vaultId } = await loggedInMembers(service, [600_000]);
  const read = (address: string) =>
    api.get(`/vaults/${vaultId}/statement`, { headers: { 'x-forwarded-for': address } });
  const statement = await sql.connect();
  try {
    await statement.query('begin');
    await statement.query('lock table unsolicited_outputs in access exclusive mode');
    const burst = Array.from({ length: 7 }, () => read('192.0.2.1'));
    expect(await Promise.race(burst)).toMatchObject({ status: 429 });
    const other = read('192.0.2.2');
    await until(async () => (await waitingForLocks(service)) >= 2, { what: 'a read of each address to wait' });
    await statement.query('rollback');
    expect(await other).toMatchObject({ status: 200 });
    expect((await Promise.all(burst)).filter(({ status }) => status === 200)).toHaveLength(6);
  } finally {
    statement.release(true);
  }
});

test('a burst of changes by one wallet leaves the requests of others answered; all of them are made', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const [busy, other] = people;
  const body = { walletAddress: busy!.address, lovelace: 5_000_000 };
  const statement = await sql.connect();
  try {
    await statement.query('begin');
    // A change asks whether its area is paused.
    await statement.query('lock table pauses in access exclusive mode');
    const changes = Array.from({ length: READS }, () =>
      api.post(`/vaults/${vaultId}/investments`, body, busy!.session),
    );
    await until(async () => (await waitingForLocks(service)) >= 4, { what: 'changes to wait for the lock' });
    expect(await api.get('/vault-types', other!.session)).toMatchObject({ status: 200 });
    expect(await waitingForLocks(service)).toBe(4);
    await statement.query('rollback');
    for (const change of await Promise.all(changes)) expect(change.status).toBe(400);
  } finally {
    statement.release(true);
  }
});

interface Bursts {
  readonly bursts: readonly object[];
  readonly others: readonly object[];
}

/** Reads slowly as each of the bursts, and expects the others' reads to be answered before. */
async function expectOthersAnswered(service: ApiService, vaultId: string, { bursts, others }: Bursts): Promise<void> {
  const { api, sql } = service;
  const statement = await sql.connect();
  const ended: number[] = [];
  try {
    await statement.query('begin');
    // The list of proposals reads it, a vault does not.
    await statement.query('lock table endorsements in access exclusive mode');
    const reads = bursts.flatMap((burst) =>
      Array.from({ length: READS }, async (_, number) => {
        const { status } = await api.get(`/vaults/${vaultId}/proposals?limit=${number + 1}`, burst);
        return ended.push(status);
      }),
    );
    const running = bursts.length > 1 ? 6 : 4;
    await until(async () => (await waitingForLocks(service)) >= running, { what: 'reads to wait for the lock' });

    for (const caller of others) expect(await api.get(`/vaults/${vaultId}`, caller)).toMatchObject({ status: 200 });
    expect(ended).toEqual([]);
    await statement.query('rollback');
    await Promise.all(reads);
    expect(ended).toEqual(Array<number>(bursts.length * READS).fill(200));
  } finally {
    statement.release(true);
  }
}

async function waitingForLocks({ sql }: ApiService): Promise<number> {
  const rows = await sql.run<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`;
  return rows[0]?.waiting ?? 0;
}
