import { wallClock } from '../src/platform/units/time.ts';
import { signingWallet } from '../test/http/signing-wallet.ts';
import type { BenchStack } from './stack.ts';

/** The key and headers of a wallet that has logged in and takes part in no vault. */
export async function stranger({ api, frontendKey: key }: BenchStack) {
  const wallet = signingWallet();
  const { address } = wallet;
  const asked = await api.post<{ data: { nonce: string } }>('/auth/nonces', { address }, { key });
  const timestamp = wallClock.now();
  const { nonce } = asked.body.data;
  const login = { address, nonce, timestamp, ...wallet.signData(address, `${nonce}:${timestamp}`) };
  const { status, body } = await api.post<{ data: { token: string } }>('/auth/sessions', login, { key });
  if (status !== 201) throw new Error(`the login was refused: ${JSON.stringify(body)}`);
  return { key, headers: { authorization: `Bearer ${body.data.token}` } };
}
