import { expect, test } from '@jest/globals';
import { unspentOrMissingAssets } from '../../src/assets/queries/listed-assets.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

interface Listed {
  data: { assets: { assetId: string; status: string; releaseReason: string | null }[] };
}
interface Unsigned {
  tx_hash: string;
  unsigned_tx: string;
}

test('a removed asset returns to its contributor on the ledger exactly once', async () => {
  await using stack = await testStack();
  const owner = newWallet();
  const { policyId } = await stack.ledger.faucet({
    address: owner.address,
    lovelace: '100000000',
    assets: [{ assetNameHex: '426f6174', quantity: '1' }],
  });
  const unit = `${policyId}426f6174`;
  const holds = () => stack.ledger.query<unknown[]>(`/addresses/${owner.address}/utxos/${unit}`);
  await until(async () => (await holds())?.length === 1, { what: 'the asset to be in the wallet' });
  const { api } = stack;
  await until(async () => (await stack.root.get('/health/ready')).status === 200, { what: 'the api to be ready' });
  const made = await api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  expect(made.status).toBe(201);
  const path = `/vaults/${made.body.vault_id}`;

  const asset = { policy_id: policyId, asset_name: 'Boat', wallet_address: owner.address };
  const added = await api.post<{ asset_id: string; transaction: Unsigned }>(`${path}/assets`, asset);
  const { tx_hash: hash, unsigned_tx: unsigned } = added.body.transaction;
  await api.post(`/transactions/${hash}/witnesses`, { witnessSet: owner.sign(unsigned) });
  const listed = async () => (await api.get<Listed>(`${path}/assets`)).body.data.assets[0];
  await until(async () => (await listed())?.status === 'LOCKED', { what: 'the asset to be LOCKED' });

  const valuation = await api.get<{ data: { valuation: { total: string } } }>(`${path}/valuation`);
  expect(valuation.body.data.valuation).toMatchObject({ assetCounts: { nfts: 1, cnts: 0 } });
  const quoted = await api.get(`${path}/quote?lovelace=1000000000000`);
  expect(quoted.body).toMatchObject({
    data: { settles: true, figures: { value: valuation.body.data.valuation.total } },
  });

  const removed = await api.del(`${path}/assets/${added.body.asset_id}`);
  expect(removed).toMatchObject({
    status: 200,
    body: { status: 'success', data: { removalStatus: 'COMPLETED', updatedValuation: { total: '0' } } },
  });
  const twice = await api.del<{ error: { code: string } }>(`${path}/assets/${added.body.asset_id}`);
  expect(['ASSET_ALREADY_LEAVING', 'ASSET_ALREADY_REMOVED']).toContain(twice.body.error.code);
  await until(async () => (await listed())?.releaseReason === 'removed', { what: 'the asset to be RELEASED' });
  expect(await holds()).toHaveLength(1);
  expect(await api.del(`${path}/assets/${added.body.asset_id}`)).toMatchObject(
    errorResponse(400, 'ASSET_ALREADY_REMOVED'),
  );
});

test('an asset cannot be removed before the window opens or after it has closed', async () => {
  await using service = await apiService();
  const body = vaultBody(newWallet().address);
  const asset_window_start_time = new Date(Date.now() + 3_600_000).toISOString();
  const later = { ...body, asset_settings: { ...body.asset_settings, asset_window_start_time } };
  const made = await service.api.post<{ vault_id: string }>('/vaults', later);
  const removal = `/vaults/${made.body.vault_id}/assets/01890a5d-ac96-774b-bcce-b302099a8057`;
  expect(await service.api.del(removal)).toMatchObject(errorResponse(400, 'ASSET_WINDOW_NOT_OPEN'));
  await service.advance(3601);
  expect(await service.api.del(removal)).toMatchObject(errorResponse(404, 'ASSET_NOT_FOUND'));
  await service.advance(7 * 24 * 3600);
  expect(await service.api.del(removal)).toMatchObject(errorResponse(400, 'ASSET_WINDOW_CLOSED'));
});

test('a removed asset is priced until its removal can no longer be rolled back', async () => {
  await using service = await apiService();
  const owner = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault(service, owner.address);
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  expect(await service.api.post(`/vaults/${vaultId}/assets`, asset)).toMatchObject({ status: 201 });
  // No worker runs here. These rows say that the asset arrived and left again; the creation of the vault stands in for
  // the removal transaction.
  await service.sql.run`update chain_transactions set state = 'final' where kind = 'add_asset'`;
  await service.sql.run`update chain_transactions set state = 'confirmed' where kind = 'create_vault'`;
  await service.sql.run`update assets set status = 'RELEASED',
    remove_transaction_id = (select id from chain_transactions where kind = 'create_vault')`;
  expect(await unspentOrMissingAssets(service.db, vaultId)).toHaveLength(1);
  await service.sql.run`update chain_transactions set state = 'final'`;
  expect(await unspentOrMissingAssets(service.db, vaultId)).toEqual([]);
});

test('the admin of a vault cannot take out the asset of another wallet when nobody has time to leave any more', async () => {
  await using service = await apiService();
  const [admin, owner] = [signingWallet(), await service.fundedWallet({ Boat: '1' })];
  const vaultId = await createVault(service, admin.address);
  const assets = `/vaults/${vaultId}/assets`;
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const added = await service.api.post<{ asset_id: string }>(assets, asset);
  const asAdmin = await logIn(service, admin);
  const remove = () => service.api.del(`${assets}/${added.body.asset_id}`, undefined, asAdmin);
  expect(await remove()).toMatchObject(errorResponse(400, 'ASSET_NOT_LOCKED'));

  await service.sql.run`update assets set status = 'LOCKED', locked_at = now()`;
  await service.advance(6 * 24 * 3600);
  expect(await remove()).toMatchObject(errorResponse(403, 'INSUFFICIENT_PERMISSIONS'));
});
