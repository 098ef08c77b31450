import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { createAuthenticator } from '../../src/access/authentication.ts';
import { hashSessionToken, newSessionToken, sessionTimes } from '../../src/access/sessions.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createConnections } from '../../src/events/live/connections.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { insertSession } from '../../src/access/queries/sessions.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { until } from '../stack/until.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { eventClient } from './event-client.ts';
import { eventStream } from './stream-client.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

test('an open stream and socket keep no session alive, end when it expires or a lost message has ended it, and whoever keeps trying is in the audit log', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, signingWallet().address);
  const [expiring, deleted] = [await logIn(service, signingWallet()), await logIn(service, signingWallet())];
  const url = `${service.url}/api/v1/events?vaultId=${vaultId}`;
  const sessions = async () =>
    await service.sql.run<{ id: string; wallet: string; ends: string; has_ended: boolean }>`select id, wallet,
        expires_at::text as ends, expires_at < clock_timestamp() as has_ended from sessions order by created_at`;
  const [first, second] = await sessions();
  const headersOf = ({ key, headers }: typeof expiring) => ({ 'x-api-key': key, ...headers });
  using stream = await eventStream(url, headersOf(expiring));
  using socket = eventClient(service.url, {
    ...{ apiKey: expiring.key, token: expiring.headers.authorization.replace('Bearer ', '') },
  });
  expect(await socket.connected()).toBeNull();
  using other = await eventStream(url, headersOf(deleted));

  // No process hears of these changes. The last use was so long ago that another one would be recorded.
  await service.sql.run`update sessions
      set last_used_at = clock_timestamp() - interval '10 min', expires_at = clock_timestamp() + interval '12 s'
      where id = ${first!.id}`;
  await service.sql.run`delete from sessions where id = ${second!.id}`;
  const { ends } = (await sessions())[0]!;
  await other.ended;
  expect(other.closed).toMatchObject([{ error: { code: 'INVALID_SESSION' } }]);
  await Promise.all([stream.ended, socket.disconnected()]);
  expect((await sessions())[0]).toMatchObject({ ends, has_ended: true });
  expect(stream.closed).toMatchObject([{ error: { code: 'INVALID_SESSION' } }]);
  expect(socket.ended).toEqual([{ name: 'closed', code: 'INVALID_SESSION' }]);

  const reader = eventClient(service.url, { apiKey: deleted.key });
  expect(await reader.connected()).toBeNull();
  expect(await reader.subscribe({ wallet: first!.wallet })).toMatchObject({
    ...{ status: 'error', error: { code: 'INSUFFICIENT_PERMISSIONS' } },
  });
  reader[Symbol.dispose]();
  using again = eventClient(service.url, {
    ...{ apiKey: expiring.key, token: expiring.headers.authorization.replace('Bearer ', '') },
  });
  expect(await again.connected()).toBe('INVALID_SESSION');
  expect((await eventStream(url, headersOf(expiring))).refusal).toMatchObject({ error: { code: 'INVALID_SESSION' } });
  await eventStream(url, headersOf(deleted));
  await service.stopApi();
  const rows = await service.sql.run`select action, actor_id, resource_id, metadata ->> 'reason' as reason,
      (metadata ->> 'count')::int as count from audit_log
      where action in ('SESSION_REFUSED', 'PERMISSION_REFUSED') order by action, reason`;
  const refused = { action: 'SESSION_REFUSED', resource_id: 'unknown', reason: 'unknown', count: 1 };
  expect(rows).toEqual([
    {
      ...{ action: 'PERMISSION_REFUSED', actor_id: parseApiKey(deleted.key)!.id, resource_id: 'subscribe' },
      ...{ reason: null, count: 1 },
    },
    { ...refused, actor_id: first!.wallet, resource_id: first!.id, reason: 'ended', count: 2 },
    { ...refused, actor_id: parseApiKey(deleted.key)!.id },
  ]);
});

test('all connections of a process are checked by one statement for keys and one for sessions, and end at the instant that is known', async () => {
  await using service = await apiService();
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const createdAt = new Date();
  const key = { id, environment, name: 'app', secretHash: hashSecret(secret), roles: [], createdBy: 'test', createdAt };
  await insertApiKey(service.db, key);
  let skew = 0;
  const clock = { now: () => instant(wallClock.now() + skew) };
  const authenticator = createAuthenticator({ db: service.db, clock, environment, defaultWalletRoles: [] });
  const errors: unknown[] = [];
  const connections = createConnections({ authenticator, clock }, (error) => errors.push(error));
  const ended = new Map<number, string>();
  for (let number = 0; number < 50; number += 1) {
    const token = newSessionToken();
    const session = {
      ...sessionTimes(clock.now()),
      id: randomBytes(16).toString('hex'),
      wallet: `w${number}`,
      keyHash: '',
    };
    await service.db.transaction().execute((tx) => insertSession(tx, session, hashSessionToken(token)));
    await connections.open({
      ...{ credentials: { apiKey: text, authorization: `Bearer ${token}` }, ip: '', onCallerChange: () => undefined },
      end: ({ code }) => void ended.set(number, code),
    });
  }
  using recorded = recordStatements();
  const read = (table: string) =>
    recorded.statements().filter((one) => one.text.startsWith('select') && one.text.includes(`from "${table}"`)).length;
  await until(() => read('sessions') > 0 && read('api_keys') > 0, { what: 'the check', deadlineMs: 30_000 });
  expect([read('sessions'), read('api_keys'), ended.size]).toEqual([1, 1, 0]);

  // A second before the hour without use is over.
  skew = 3_599_000;
  await until(() => ended.size === 50, { what: 'all connections to end', deadlineMs: 30_000 });
  expect(new Set(ended.values())).toEqual(new Set(['INVALID_SESSION']));
  expect(errors).toEqual([]);
  connections.close({ code: 'SERVICE_STOPPING' } as never);
});
