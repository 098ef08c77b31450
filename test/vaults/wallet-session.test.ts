import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from './api-service.ts';
import { logIn } from './logged-in-wallet.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

test('a logged-in wallet adds and removes its own assets only', async () => {
  await using service = await apiService();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(wallet.address));
  expect(made.status).toBe(201);
  const gift = { lovelace: '100000000', assets: [{ assetNameHex: '426f6174', quantity: '1' }] };
  const { policyId } = await service.ledger.faucet({ address: wallet.address, ...gift });
  await service.ledger.mine();

  const session = await logIn(service, wallet);
  const assets = `/vaults/${made.body.vault_id}/assets`;
  const asset = { policy_id: policyId, asset_name: 'Boat', wallet_address: wallet.address };
  expect(await service.api.post(assets, asset, { key: session.key })).toMatchObject({ status: 403 });
  const asStranger = await logIn(service, stranger);
  expect(await service.api.post(assets, asset, asStranger)).toMatchObject({ status: 403 });
  const added = await service.api.post<{ asset_id: string }>(assets, asset, session);
  expect(added).toMatchObject({ status: 201, body: { transaction: { required_signers: [wallet.keyHash] } } });
  const removal = `${assets}/${added.body.asset_id}`;
  expect(await service.api.del(removal, undefined, asStranger)).toMatchObject({ status: 403 });
  expect(await service.api.del(removal, undefined, session)).toMatchObject(errorResponse(400, 'ASSET_NOT_LOCKED'));
  expect(await service.api.get('/auth/sessions', session)).toMatchObject({
    body: { data: { sessions: [{ address: wallet.address, current: true }] } },
  });
});

test('a logged-in wallet invests its own ADA only', async () => {
  await using service = await apiService();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(wallet.address));
  const path = `/vaults/${made.body.vault_id}`;
  await service.ledger.faucet({ address: wallet.address, lovelace: '100000000' });
  await service.ledger.mine();
  const [asWallet, asStranger] = [await logIn(service, wallet), await logIn(service, stranger)];
  const forbidden = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');

  const investment = { walletAddress: wallet.address, lovelace: 5_000_000 };
  for (const other of [asStranger, { key: asWallet.key }]) {
    expect(await service.api.post(`${path}/investments`, investment, other)).toMatchObject(forbidden);
  }
  expect(await service.api.post(`${path}/investments`, { lovelace: 5_000_000 }, asWallet)).toMatchObject({
    status: 201,
    body: { data: { walletAddress: wallet.address, transaction: { requiredSigners: [wallet.keyHash] } } },
  });
});
