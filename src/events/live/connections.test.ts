import { expect, test } from '@jest/globals';
import type { Authenticator } from '../../access/authentication.ts';
import { instant } from '../../platform/units/time.ts';
import { createConnections } from './connections.ts';

/** Knows each token as the session of a wallet with this name. */
const authenticator: Pick<Authenticator, 'authenticate' | 'onForget'> = {
  authenticate: ({ authorization: wallet = '' }) =>
    Promise.resolve({
      kind: 'valid',
      caller: { apiKeyId: 'frontend', roles: [], permissions: [], wallet, sessionId: wallet },
      rateLimit: null,
      sessionRefusal: null,
      validUntil: Infinity,
    }),
  onForget: () => undefined,
};

function connectionsOf() {
  const context = { authenticator: authenticator as Authenticator, clock: { now: () => instant(0) } };
  const connections = createConnections(context, () => undefined);
  return (wallet: string, ip: string) =>
    connections.open({
      credentials: { apiKey: 'key', authorization: wallet },
      ip,
      end: () => undefined,
      onCallerChange: () => undefined,
    });
}

const refusal = { code: 'TOO_MANY_CONNECTIONS' };

test('wallets of one IP address leave connections to those of others, and to each other', async () => {
  const open = connectionsOf();
  const opened = [];
  for (let index = 0; index < 5_000; index += 1) opened.push(await open(`wallet ${index % 50}`, '192.0.2.1'));
  await expect(open('wallet 50', '192.0.2.1')).rejects.toMatchObject(refusal);
  await open('wallet 50', '192.0.2.2');
  opened[0]?.remove();
  await open('wallet 50', '192.0.2.1');
  await expect(open('wallet 51', '192.0.2.1')).rejects.toMatchObject(refusal);
});

test('a wallet has 100 connections, from wherever they come', async () => {
  const open = connectionsOf();
  for (let index = 0; index < 100; index += 1) await open('wallet', `192.0.2.${index}`);
  await expect(open('wallet', '198.51.100.1')).rejects.toMatchObject(refusal);
});
