import { expect, test } from '@jest/globals';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';

/** More than there are connections to Postgres. */
const READS = 30;

test('a burst of slow reads by one key, or by one wallet, leaves the reads of others answered', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000]);
  const another = await api.post<{ data: { key: string } }>('/api-keys', { name: 'another', roles: ['ADMIN'] });
  const others = [{ key: another.body.data.key }, people[1]!.session];
  for (const { burst } of [{ burst: {} }, { burst: people[0]!.session }]) {
    const statement = await sql.connect();
    const ended: number[] = [];
    try {
      await statement.query('begin');
      // The list of proposals reads it, a vault does not.
      await statement.query('lock table endorsements in access exclusive mode');
      const reads = Array.from({ length: READS }, async (_, number) => {
        const { status } = await api.get(`/vaults/${vaultId}/proposals?limit=${number + 1}`, burst);
        return ended.push(status);
      });
      await until(async () => (await waitingForLocks(service)) >= 4, { what: 'reads to wait for the lock' });

      for (const caller of others) expect(await api.get(`/vaults/${vaultId}`, caller)).toMatchObject({ status: 200 });
      expect(ended).toEqual([]);
      await statement.query('rollback');
      await Promise.all(reads);
      expect(ended).toEqual(Array<number>(READS).fill(200));
    } finally {
      statement.release(true);
    }
  }
});

async function waitingForLocks({ sql }: ApiService): Promise<number> {
  const { rows } = await sql.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}
