import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createUpkeepActivities } from '../../activities/upkeep.ts';
import type { Anchors } from '../../src/anchoring/anchors.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createPriceSource } from '../../src/cardano/price-source.ts';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { vaultsHeldFor } from '../../src/vaults/queries/windows.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { createOutboxRelay } from '../../src/platform/temporal/workflow-outbox-relay.ts';
import { keys } from '../chain/sample-context.ts';
import { fakeLedger } from '../chain/fake-ledger.ts';
import { unboundedBudget } from '../follower/follower-service.ts';
import { until } from '../stack/until.ts';
import { apiService, type ApiService } from '../vaults/api-service.ts';
import type { WorkerContext } from '../../src/worker-context.ts';
import { createVault } from './vault-requests.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });

/** An address where no server listens. */
const closedAddress = '127.0.0.1:1';

/** For a sweep that has nothing to anchor. */
const noAnchors: Anchors = {
  record: () => Promise.reject(new Error('nothing is due')),
  group: () => () => Promise.reject(new Error('nothing is due')),
  cost: () => ({ spentToday: lovelace(0n), dailyBudget: lovelace(0n), intervalMs: 0, maxIntervalMs: 0 }),
  close: () => Promise.resolve(),
};

/** A price feed that accepts requests and never responds. */
async function silentFeed() {
  let asked = 0;
  const server = createServer(() => (asked += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hangUp = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, hangUp, [Symbol.asyncDispose]: hangUp };
}

/** Creates a vault that is held because its asset has no price. */
async function heldVault(service: ApiService): Promise<void> {
  const { api, sql } = service;
  const owner = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault({ api }, owner.address);
  const { status } = await api.post(`/vaults/${vaultId}/assets`, {
    policy_id: owner.policyId,
    asset_name: 'Boat',
    valuation_method: 'floor_price',
    metadata: {},
    wallet_address: owner.address,
  });
  expect(status).toBe(201);
  await sql.run`insert into holds (vault_id, reason, since) values (${vaultId}, 'price_unavailable', now())`;
}

test('a price feed that never responds and an unreachable Temporal do not block the rest of a sweep', async () => {
  await using service = await apiService();
  await heldVault(service);
  // The relay of a running api could take the message that only the sweep is to send.
  await service.stopApi();
  await service.sql.run`insert into workflow_notices (id, workflow_id, message, created_at)
      values (${ids.next()}, 'vault-lost', '{"kind": "signal", "signal": "transactionChanged"}', now() - interval '1 minute')`;
  await using feed = await silentFeed();
  const { ledger, asked } = fakeLedger(() => null);
  const { db } = service;
  const clock = productionClock(wallClock);
  const client = connectTemporal({ address: closedAddress, namespace: 'default', taskQueue: 'vaults' });
  const onDelay = () => undefined;
  const upkeep = createUpkeepActivities({
    db,
    unitOfWork: createUnitOfWork(db, clock, ids),
    readingTime: () => Promise.resolve(clock.now()),
    priceSource: createPriceSource({ feedUrl: feed.url, timeoutMs: 60_000 }),
    durationBounds: defaultDurationBounds,
    keys,
    operatorBudget: unboundedBudget(),
    outboxRelay: createOutboxRelay({ db, clock, client, taskQueue: 'vaults', network: 'preview', onDelay }),
    ledger,
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    anchors: noAnchors,
    eventsKeptDays: 400,
  } as WorkerContext);

  const swept = upkeep.sweep().then(
    () => 'no failure',
    (error: unknown) => String(error),
  );
  await until(() => feed.asked() > 0, { what: 'a request to the feed' });

  const rows = await service.sql.run<{ free: string }>`select count(*) as free from vault_keys`;
  expect(Number(rows[0]?.free)).toBeGreaterThan(200);
  expect(asked).toContain(`/addresses/${keys.operator.address}/utxos`);
  await feed.hangUp();
  expect(await swept).toContain('could not send messages to ');
  await client.connection.close();
});

test('every held vault gets its turn, even when one is taken at a time', async () => {
  await using service = await apiService();
  for (let vault = 0; vault < 3; vault += 1) await heldVault(service);
  const seen = new Set<string>();
  const seeOne = async () => {
    for (const vaultId of await vaultsHeldFor(service.db, ['price_unavailable'], 1)) seen.add(vaultId);
    return seen.size === 3;
  };
  await until(seeOne, { what: 'each vault to be taken once' });
  expect(seen.size).toBe(3);
});
