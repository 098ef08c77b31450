import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from './api-service.ts';
import { logIn } from './logged-in-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

test('a logged-in wallet invests its own ADA only', async () => {
  await using service = await apiService();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const vaultId = await createVault(service, wallet.address);
  const path = `/vaults/${vaultId}`;
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
