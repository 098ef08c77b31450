import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { ownPostgres } from '../stack/own-servers.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, person, waitForTransaction } from './participants.ts';
import { waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const bounds = { min: 60, max: 604_800 };

test('the service recovers by itself after Postgres cuts every connection and after it crashes, and nothing is lost', async () => {
  await using postgres = await ownPostgres();
  await using stack = await testStack({
    servers: { databaseUrl: postgres.databaseUrl },
    environment: { DURATION_BOUNDS: JSON.stringify({ assetWindow: bounds, investmentWindow: bounds }) },
  });
  const ready = async () => (await stack.root.get('/health/ready', { key: null })).status;
  const owner = person(121);
  const policyId = await fundWallet(stack, owner, { ada: 200, assets: { Mill: 1, Weir: 1 } });
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');

  const mill = await contribute(stack, vaultId, owner, { policyId, name: 'Mill' });
  await stack.sql.run`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  await waitForTransaction(stack, mill.hash, ['confirmed', 'final']);
  await until(async () => (await ready()) === 200, { what: 'the api to have connections again' });
  await crashOneBackend(postgres.databaseUrl);
  await until(async () => (await ready()) === 200, { what: 'the api to have connections after the recovery' });

  const weir = await contribute(stack, vaultId, owner, { policyId, name: 'Weir' });
  const began = new Date(Date.now() - 40_000).toISOString();
  const ending = await createVault(stack, owner.address, {
    asset: { asset_window_start_time: began, asset_window_duration: '00:00:01' },
    investment: { investment_start_time: began, investment_window_duration: '00:00:01' },
  });
  const { assetWindow } = await readVault(stack, ending);
  await postgres.kill();
  // Postgres processes survive for a moment and still answer.
  const refusal = await until(
    async () => {
      const answer = await stack.root.get('/health/ready', { key: null });
      return answer.status !== 200 && answer;
    },
    { what: 'the api to be without Postgres' },
  );
  expect(refusal).toMatchObject({
    status: 503,
    body: { error: { details: { checks: { database: 'failed' } } } },
  });
  expect((await stack.root.get('/health/live', { key: null })).status).toBe(200);
  await until(async () => (await stack.api.get('/vaults')).status === 500, { what: 'a list to be refused' });
  await until(() => Date.now() > Date.parse(assetWindow.endTime), { what: 'the end of a window' });

  await postgres.start();
  await until(async () => (await ready()) === 200, { what: 'the api to be ready again' });
  await waitForTransaction(stack, weir.hash, ['final']);
  const { termination } = await waitForVaultStatus(stack, ending, 'TERMINATED');
  expect(termination.reason).toBe('no_assets');
  expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual([1, 1, 1]);
  const rows = await stack.sql.run<{ seq: string }>`select seq from outbox where seq is not null order by seq`;
  expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_row, index) => index + 1));
});

/** Postgres then ends all others and recovers, without a restart. */
async function crashOneBackend(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl, () => undefined, 1);
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  process.kill(rows[0]!.pid, 'SIGKILL');
  await until(() => sql`select 1`.execute(db).catch(() => null), { what: 'Postgres to have recovered' });
  await db.destroy();
}
