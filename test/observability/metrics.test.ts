import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { buildFanOut } from '../../src/cardano/build/funding.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { serveMetrics } from '../../src/platform/observability/metrics-server.ts';
import { backlog, createMetrics } from '../../src/platform/observability/metrics.ts';
import { roles } from '../../src/access/rules.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance, waitForVaultStatus, createVault } from '../vault-lifecycle/vault-requests.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { fileStack } from '../stack/file-stack.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

const minute = { min: 60, max: 604_800 };
const logger = createLogger({ service: 'metrics', level: 'silent' });

const stackOfFile = fileStack();

test('a request is counted under the template of its path, and an unknown path under none', async () => {
  const stack = stackOfFile();
  await stack.api.get('/vaults/01a1fe31-7168-78ba-9a54-09f02a924cc8');
  await stack.root.get('/nothing/here');

  // A request is measured when its response is sent completely, which may be after its caller has it.
  const text = await until(
    async () => {
      const metrics = await readMetrics(stack.metricsUrl('api'));
      return metrics.includes('route="none"') && metrics;
    },
    { what: 'both requests to be measured' },
  );

  const count = (labels: string) => valueOf(text, `http_request_duration_seconds_count{${labels}}`);
  expect(count('method="GET",route="/api/v1/vaults/:vaultId",status="4xx"')).toBe(1);
  expect(count('method="GET",route="none",status="4xx"')).toBe(1);
  expect(text).not.toContain('01a1fe31');
  expect(text).toContain('anchor_batch_size_count');
  expect(valueOf(text, 'anchor_daily_budget_ada')).toBe(100);
  expect(valueOf(text, 'anchor_interval_seconds')).toBe(0.1);
  expect(valueOf(text, 'database_up')).toBe(1);
  expect(valueOf(text, 'database_statements_total{pool="foreground"}')).toBeGreaterThan(0);
  expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
});

test('worker metrics include the delay of window changes and the metrics of Temporal Core', async () => {
  await using stack = await testStack({
    environment: { DURATION_BOUNDS: JSON.stringify({ assetWindow: minute, investmentWindow: minute }) },
  });
  const began = new Date(Date.now() - 45_000).toISOString();
  const vaultId = await createVault(stack, person(1).address, {
    asset: { asset_window_start_time: began, asset_window_duration: '00:00:01' },
    investment: { investment_start_time: began, investment_window_duration: '00:00:01' },
  });
  await advance(stack, 60);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');

  // The row is TERMINATED before its workflow completes, and Core counts the completion even later.
  const text = await until(
    async () => {
      const metrics = await readMetrics(stack.metricsUrl('worker'));
      return /^temporal_workflow_completed_total/m.test(metrics) && metrics;
    },
    { what: 'the completed workflow to be counted by Core' },
  );

  expect(valueOf(text, 'operator_daily_ada')).toBe(1_000_000);
  expect(valueOf(text, 'operator_paid_today_ada{for="others"}')).toBeGreaterThan(1);
  expect(valueOf(text, 'operator_payments_stopped{for="starts"}')).toBe(0);

  const lag = (suffix: string, transition: string) =>
    valueOf(text, `vault_transition_lag_seconds_${suffix}{transition="${transition}"}`);
  for (const transition of ['asset_window_open', 'investment_window_open', 'asset_window_close']) {
    expect([transition, lag('count', transition)]).toEqual([transition, 1]);
  }
  // The windows opened 45 s before the vault was created; that is not lag.
  const rows = await stack.sql.run<{ since_start: number }>`select extract(epoch
      from outbox.occurred_at - windows.starts_at)::float8 as since_start from windows join outbox using (vault_id)
      where vault_id = ${vaultId} and kind = 'asset' and data ->> 'window' = 'asset' and data ->> 'to' = 'ACTIVE'`;
  expect(lag('sum', 'asset_window_open')).toBeLessThan(rows[0]!.since_start - 44);
});

test('events without a number and waiting vaults are counted by reason', async () => {
  const stack = stackOfFile();
  const vaultId = await createVault(stack, person(1).address);
  await stack.sql.run`insert into holds (vault_id, reason, since) values (${vaultId}, 'stale_price', now())`;

  const unnumbered = (isSo: (events: number | null) => boolean) =>
    until(
      async () => {
        const metrics = await readMetrics(stack.metricsUrl('api'));
        return isSo(valueOf(metrics, 'outbox_unsequenced_events')) ? metrics : null;
      },
      { what: 'the expected number of events without a number' },
    );
  const text = await unnumbered((events) => events === 0);
  expect(valueOf(text, 'vault_holds{reason="stale_price"}')).toBe(1);

  await holdLocks(stack, `select pg_advisory_xact_lock(hashtextextended('sequencer', 0))`, async () => {
    await createVault(stack, person(1).address);
    await unnumbered((events) => events !== null && events > 0);
  });
  await unnumbered((events) => events === 0);
});

test('the operator’s balance and how long it lasts are metrics, and shown to nobody but an ADMIN who asks whether the api is ready', async () => {
  const stack = stackOfFile();
  await stack.sql.run`insert into operator_funds (day, held, spent, seen_at)
    values ((now() at time zone 'utc')::date - 1, 1, 86400000000, now() - interval '1 day') on conflict do nothing`;
  const text = await until(
    async () => {
      const metrics = await readMetrics(stack.metricsUrl('api'));
      return (valueOf(metrics, 'operator_balance_ada') ?? 0) > 1 && metrics;
    },
    { what: 'a worker to see the balance' },
  );
  expect(valueOf(text, 'operator_balance_ada')).toBeGreaterThan(999_900);
  expect(valueOf(text, 'operator_runway_days')).toBeGreaterThan(11);

  const { body } = await stack.root.get<{ details: { operator: object; anchors: object } }>('/health/ready');
  expect(body.details.operator).toEqual({
    lovelace: expect.stringMatching(/^\d{12,13}$/),
    seenAt: expect.any(String),
    spentPerDay: expect.stringMatching(/^\d{11}$/),
    runwayDays: expect.any(Number),
  });
  expect(body.details.anchors).toMatchObject({ dailyBudget: '100000000', intervalSeconds: 0.1 });
  const everyRoleButAdmin = roles.filter((role) => role !== 'ADMIN');
  const made = await stack.api.post<{ data: { key: string } }>('/api-keys', {
    name: 'probe',
    roles: everyRoleButAdmin,
  });
  for (const key of [null, made.body.data.key]) {
    const answer = await stack.root.get('/health/ready', { key });
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([200, ['status', 'checks']]);
  }
  const pace = await stack.api.get('/anchors/pace', { key: made.body.data.key });
  expect(pace).toMatchObject({ status: 200, body: { data: { intervalSeconds: 0.1, maxIntervalSeconds: 0.1 } } });
});

test('a row that a thief writes for the worker to sign moves nothing, holds its vault, and is counted', async () => {
  const stack = stackOfFile();
  const vaultId = await createVault(stack, person(1).address);
  const rows = await stack.sql.run<{ operator_address: string; operator_key_hash: string }>`select * from platform`;
  const [{ operator_address: operator, operator_key_hash: keyHash }] = rows as [(typeof rows)[number]];
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5_000 });
  const [chain, funds] = [await readNetworkState({ ledger, networkId: 0 }), await ledger.payingUtxos(operator)];
  const thief = { address: person(66).address, keyHash, utxos: funds.slice(-1) };
  const ttlSlot = chain.anchor.slot + 900;
  const stolen = buildFanOut(chain, { operator: thief, count: 1, lovelace: lovelace(2_000_000n), ttlSlot });
  // It looks like one that was sent a while ago and is in no block: the worker sends such ones again.
  await stack.sql.query(
    `insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor, inputs, outputs,
       required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
     values ($1, 'create_vault', $2::uuid, 'vault-' || $2::text, 'platform', $3, $4, $5, '[]', $6, 0, $7, now() + interval '1 hour',
       'submitted', now() - interval '1 minute', now() - interval '1 minute')`,
    [
      randomUUID(),
      vaultId,
      stolen.hash,
      stolen.cbor,
      JSON.stringify(stolen.inputs.map((input) => ({ ...input, lovelace: String(input.lovelace), assets: {} }))),
      stolen.requiredSigners,
      ttlSlot,
    ],
  );

  const state = async () => {
    const query = 'select state, signed_cbor, error from chain_transactions where hash = $1';
    return (await stack.sql.query<{ state: string }>(query, [stolen.hash])).rows[0];
  };
  await until(async () => (await state())?.state === 'failed', { what: 'the forged transaction to fail' });
  expect(await state()).toMatchObject({
    signed_cbor: null,
    // That it pays the thief, or that the vault has been created, if the ledger shows that by now.
    error: expect.stringContaining('the platform refused to sign it: '),
  });
  const counted = valueOf(
    await readMetrics(stack.metricsUrl('worker')),
    'unjustified_transactions_total{kind="create_vault"}',
  );
  expect(counted).toBe(1);
  const holds = (await stack.api.get<{ data: { holds: unknown } }>(`/vaults/${vaultId}`)).body.data.holds;
  expect(holds).toMatchObject([{ reason: 'unjustified_transaction' }]);
  expect(await ledger.utxos(thief.address)).toEqual([]);
});

test('without Postgres the other metrics can be read, and no stale values are shown', async () => {
  const registry = createMetrics();
  let isUp = true;
  const reconciliation = { endedAt: 5000, differences: { correctness: 2, completeness: 0 } };
  const holds = new Map([['stale_price', 2]]);
  const unconfirmedAnchors = { count: 4, oldestSealedAt: 5000 };
  const backlogs = { unsequencedEvents: 3, holds, quarantined: 1, unconfirmedAnchors };
  const found = { ...backlogs, reconciliation, oldestComparedAt: 4000 };
  const refresh = backlog(registry, () => (isUp ? Promise.resolve(found) : Promise.reject(new Error('gone'))));
  await using server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { registry, logger, refresh });

  const before = await readMetrics(server.url);
  expect(valueOf(before, 'outbox_unsequenced_events')).toBe(3);
  expect(valueOf(before, 'reconciliation_differences{kind="correctness"}')).toBe(2);
  expect(valueOf(before, 'anchors_unlanded')).toBe(4);
  expect(valueOf(before, 'anchor_oldest_unlanded_seconds')).toBeGreaterThan(1_000_000_000);
  expect(valueOf(before, 'reconciliation_ended_timestamp_seconds')).toBe(5);
  expect(valueOf(before, 'reconciliation_oldest_comparison_timestamp_seconds')).toBe(4);
  isUp = false;
  const text = await readMetrics(server.url);

  expect(valueOf(text, 'database_up')).toBe(0);
  expect(valueOf(text, 'outbox_unsequenced_events')).toBeNull();
  expect(valueOf(text, 'vault_holds{reason="stale_price"}')).toBeNull();
  expect(valueOf(text, 'reconciliation_differences{kind="correctness"}')).toBeNull();
  expect(valueOf(text, 'anchors_unlanded')).toBeNull();
  expect(valueOf(text, 'anchor_oldest_unlanded_seconds')).toBeNull();
  expect(valueOf(text, 'reconciliation_ended_timestamp_seconds')).toBeNull();
  expect(valueOf(text, 'reconciliation_oldest_comparison_timestamp_seconds')).toBeNull();
});

test('a port in use is reported with the variable that sets it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  try {
    const serving = serveMetrics({ host: '127.0.0.1', port }, { registry: createMetrics(), logger });
    await expect(serving).rejects.toThrow(`Port ${port} (METRICS_PORT) is in use`);
  } finally {
    taken.close();
  }
});
