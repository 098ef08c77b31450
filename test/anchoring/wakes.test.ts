import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createAnchors } from '../../src/anchoring/group-commit.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { wallClock } from '../../src/platform/units/clock.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { followerOf } from '../follower/follower-service.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { apiService } from '../vaults/api-service.ts';

test('a wake of a lane that was written late is delivered by its own batch, not with a later one', async () => {
  await using service = await apiService();
  const { db, sql } = service;
  const { ledger } = followerOf(service).context;
  let deliveries = 0;
  /** Sends what is due, as the relay does. */
  const deliver = () => {
    deliveries += 1;
    void sql.query(
      'update workflow_notices set sent_at = now() where sent_at is null and created_at <= clock_timestamp()',
    );
  };
  const anchors = createAnchors({
    db,
    ids: { next: randomUUID },
    unitOfWork: createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID }),
    ledger,
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    outboxRelay: { deliver },
    onDelay: () => undefined,
    onUnreadable(row) {
      throw row;
    },
    pace: { minIntervalMs: 0, maxIntervalMs: 0, dailyBudget: lovelace(0n) },
  });
  const note = () =>
    anchors.record((context) => context.anchor({ factId: randomUUID(), vaultId: null, fact: { text: 'a test' } }));
  const unsent = async () => (await sql.query('select 1 from workflow_notices where sent_at is null')).rows.length;
  await note();
  await pause(600);
  await note();
  // Postgres is slow between the moment when the delay is counted and the one when the message is written.
  const slow = await (async () => {
    await using leases = await holdLock(service, 'lock table utxo_leases in exclusive mode');
    const slow = note();
    await leases.reached();
    await pause(300);
    return { slow };
  })();
  await slow.slow;
  expect(await unsent()).toBe(1);
  const before = deliveries;
  await until(async () => (await unsent()) === 0, { what: 'the message to be sent' });
  expect(deliveries).toBe(before + 1);
  await anchors.close();
});
