import { expect, test } from '@jest/globals';
import { anonymous, type Caller } from '../../src/domain/identity/caller.ts';
import { createSubscriptions } from '../../src/live/subscriptions.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

test('a subscription ends when its caller loses the vault while the subscription is made', async () => {
  await using service = await apiService();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const id = made.body.vault_id;
  const permissions = [{ resource: 'vault', action: 'READ' }] as Caller['permissions'];
  const stranger: Caller = { ...anonymous, permissions, wallet: newWallet().address, sessionId: 'session' };

  // Ahead of the subscriber, so that the oldest event that is kept is asked for.
  const feed = {
    position: () => 2,
    onBatch: () => () => undefined,
    catchUp: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const refused: string[] = [];
  const sink = {
    send: () => Promise.resolve(),
    join: () => undefined,
    leave: () => undefined,
    refuse: (name: string, { code }: { code: string }) => void refused.push(`${name} ${code}`),
  };
  const logger = createLogger({ service: 'events', level: 'silent' });
  const subscriptions = createSubscriptions({ db: service.db, logger, feed }, () => stranger, sink);

  const { subscription } = await holdLocks(service, 'lock table outbox in access exclusive mode', async (held) => {
    const asked = subscriptions.subscribe({ kind: 'vault', id }, 1);
    await held.reached();
    await service.sql.query("update vaults set type = 'PRIVATE' where id = $1", [id]);
    return { asked };
  }).then(({ asked }) => asked);
  await until(() => refused.length > 0, { what: 'the subscription to end', deadlineMs: 30_000 });
  expect(refused).toEqual([`${subscription} VAULT_NOT_FOUND`]);
  subscriptions.close();
});
