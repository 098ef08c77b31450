import { expect, test } from '@jest/globals';
import { anonymous, type Caller } from '../../src/access/rules.ts';
import pLimit from 'p-limit';
import type { CatchUp } from '../../src/events/event-tail.ts';
import { createSubscriptions } from '../../src/events/live/subscriptions.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const context = {
  logger: createLogger({ service: 'events', level: 'silent' }),
  // Ahead of the subscriber, so that the oldest event that is kept is asked for.
  feed: {
    position: () => 2,
    onBatch: () => () => undefined,
    catchUp: ({ join }: Pick<CatchUp, 'join'>) => {
      join();
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  },
  checks: pLimit(1),
  replays: pLimit(1),
};

test('a subscription ends when its caller loses the vault while the subscription is made', async () => {
  await using service = await apiService();
  const id = await createVault(service, newWallet().address);
  const permissions = [{ resource: 'vault', action: 'READ' }] as Caller['permissions'];
  const stranger: Caller = { ...anonymous, permissions, wallet: newWallet().address, sessionId: 'session' };

  const refused: string[] = [];
  const sink = {
    send: () => Promise.resolve(),
    join: () => undefined,
    leave: () => undefined,
    refuse: (name: string, { code }: { code: string }) => void refused.push(`${name} ${code}`),
  };
  const subscriptions = createSubscriptions({ db: service.db, ...context }, () => stranger, sink);

  const { subscription } = await holdLocks(service, 'lock table outbox in access exclusive mode', async (held) => {
    const asked = subscriptions.subscribe({ kind: 'vault', id }, 1);
    await held.reached();
    await service.sql.run`update vaults set type = 'PRIVATE' where id = ${id}`;
    return { asked };
  }).then(({ asked }) => asked);
  await until(() => refused.length > 0, { what: 'the subscription to end', deadlineMs: 30_000 });
  expect(refused).toEqual([`${subscription} VAULT_NOT_FOUND`]);
  subscriptions.close();
});

test('a subscription that is made while its connection ends is not joined: nothing would end it', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  const joined: string[] = [];
  const sink = {
    send: () => Promise.resolve(),
    join: (name: string) => void joined.push(name),
    leave: () => undefined,
    refuse: () => undefined,
  };
  const admin: Caller = { ...anonymous, permissions: [{ resource: 'vault', action: 'READ' }] };
  const subscriptions = createSubscriptions({ db: service.db, ...context }, () => admin, sink);
  const topic = { kind: 'vault', id: vaultId } as const;
  await subscriptions.subscribe(topic, 1);
  await until(() => joined.length === 1, { what: 'a subscription to be joined' });

  await holdLocks(service, 'lock table outbox in access exclusive mode', async (held) => {
    const asked = subscriptions.subscribe(topic, 1);
    await held.reached();
    subscriptions.close();
    return { asked };
  }).then(({ asked }) => asked);
  // As long as a subscription takes to be joined.
  await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
  expect(joined).toHaveLength(1);
});
