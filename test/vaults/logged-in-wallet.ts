import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import type { signingWallet } from '../http/signing-wallet.ts';
import type { ApiService } from './api-service.ts';

/** Creates an API key without roles. */
async function keyWithoutRoles({ db }: Pick<ApiService, 'db'>): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const createdAt = new Date();
  const key = { id, environment, name: 'app', secretHash: hashSecret(secret), roles: [], createdBy: 'test', createdAt };
  await insertApiKey(db, key);
  return text;
}

/** Logs a wallet in, with a key without roles unless one is given; returns the key and headers for its requests. */
export async function logIn(
  service: Pick<ApiService, 'api' | 'db'>,
  wallet: ReturnType<typeof signingWallet>,
  givenKey?: string,
) {
  const key = givenKey ?? (await keyWithoutRoles(service));
  const { address } = wallet;
  const asked = await service.api.post<{ data: { nonce: string } }>('/auth/nonces', { address }, { key });
  const timestamp = Date.now();
  const { nonce } = asked.body.data;
  const login = { address, nonce, timestamp, ...wallet.signData(address, `${nonce}:${timestamp}`) };
  const session = await service.api.post<{ data: { token: string } }>('/auth/sessions', login, { key });
  expect(session.status).toBe(201);
  return { key, headers: { authorization: `Bearer ${session.body.data.token}` } };
}
