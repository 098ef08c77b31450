import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/auth/api-key.ts';
import { insertApiKey } from '../../src/store/api-keys.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './vault-body.ts';

/** A key that by itself may do nothing. */
async function bareKey({ db }: ApiService): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const createdAt = new Date();
  const key = { id, environment, name: 'app', secretHash: hashSecret(secret), roles: [], createdBy: 'test', createdAt };
  await insertApiKey(db, key);
  return text;
}

/** What every request of a logged-in wallet carries. */
async function loggedIn(service: ApiService, wallet: ReturnType<typeof signingWallet>) {
  const key = await bareKey(service);
  const { address } = wallet;
  const asked = await service.api.post<{ nonce: string }>('/auth/nonces', { address }, { key });
  const timestamp = Date.now();
  const signed = wallet.signData(address, `${asked.body.nonce}:${timestamp}`);
  const login = { address, nonce: asked.body.nonce, timestamp, ...signed };
  const session = await service.api.post<{ token: string }>('/auth/sessions', login, { key });
  expect(session.status).toBe(201);
  return { key, headers: { authorization: `Bearer ${session.body.token}` } };
}

test('a wallet that is logged in puts its own asset into a vault, and nobody else’s', async () => {
  await using service = await apiService();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(wallet.address));
  expect(made.status).toBe(201);
  const gift = { lovelace: '100000000', assets: [{ assetNameHex: '426f6174', quantity: '1' }] };
  const { policyId } = await service.ledger.faucet({ address: wallet.address, ...gift });
  await service.ledger.mine();

  const session = await loggedIn(service, wallet);
  const assets = `/vaults/${made.body.vault_id}/assets`;
  const asset = { policy_id: policyId, asset_name: 'Boat', wallet_address: wallet.address };
  expect(await service.api.post(assets, asset, { key: session.key })).toMatchObject({ status: 403 });
  const asStranger = await loggedIn(service, stranger);
  expect(await service.api.post(assets, asset, asStranger)).toMatchObject({ status: 403 });
  const added = await service.api.post<{ asset_id: string }>(assets, asset, session);
  expect(added).toMatchObject({ status: 201, body: { transaction: { required_signers: [wallet.keyHash] } } });
  const removal = `${assets}/${added.body.asset_id}`;
  expect(await service.api.del(removal, undefined, asStranger)).toMatchObject({ status: 403 });
  expect(await service.api.del(removal, undefined, session)).toMatchObject({
    status: 400,
    body: { error: { code: 'ASSET_NOT_LOCKED' } },
  });
  expect(await service.api.get('/auth/sessions', session)).toMatchObject({
    body: { data: { sessions: [{ address: wallet.address, current: true }] } },
  });
});
