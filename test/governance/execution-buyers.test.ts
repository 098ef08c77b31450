import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { execute, executeBody } from './execution-requests.ts';
import { addCustodyNft, type VaultWithCustody, vaultWithCustody, createPassedProposal } from './vault-with-custody.ts';
import { errorResponse } from './staked-vault.ts';

const PRICE = 600_000_000;

interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Wallet = Pick<ReturnType<typeof newWallet>, 'address' | 'sign'>;

const addWitness = ({ data: { transaction } }: ExecutionResponse, signer: Wallet) =>
  service.api.post(`/transactions/${transaction.hash}/witnesses`, { witnessSet: signer.sign(transaction.unsignedTx) });

/** A sale whose vote named no buyer, frozen for a wallet that was not asked. */
async function freezeSaleTo(vault: VaultWithCustody, buyer: Wallet) {
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  const details = { ...villa, price: PRICE, buyer_address: buyer.address };
  const body = executeBody(vault.big, [vault.big, vault.middle], { type: 'sell_asset', details });
  const freeze = () => service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  const frozen = await freeze();
  expect(frozen).toMatchObject({ status: 201 });
  return { id, body, frozen: frozen.body, freeze };
}

/** Adds an asset of the wallet to another vault. */
async function addAssetElsewhere(wallet: Wallet & { policyId: string }, name: string) {
  const created = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  return service.api.post(`/vaults/${created.body.vault_id}/assets`, {
    policy_id: wallet.policyId,
    asset_name: name,
    valuation_method: 'floor_price',
    metadata: {},
    wallet_address: wallet.address,
  });
}

test('a wallet named as buyer unasked may use its funds until it signs, and signing after they are spent is refused', async () => {
  const stranger = await service.fundedWallet({ Boat: '1' }, '900000000');
  const vault = await vaultWithCustody(service);
  const { id, body, frozen, freeze } = await freezeSaleTo(vault, stranger);
  for (const signer of [vault.big, vault.middle])
    expect(await addWitness(frozen, signer)).toMatchObject({ status: 200 });
  expect(await addAssetElsewhere(stranger, 'Boat')).toMatchObject({ status: 201 });

  expect(await addWitness(frozen, stranger)).toMatchObject(errorResponse(400, 'WALLET_FUNDS_IN_USE'));
  expect(await execute(service, id, body)).toMatchObject({
    status: 403,
    body: { error: { details: { present: 2, missing: 1, missingSigners: [stranger.address] } } },
  });
  expect(await freeze()).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
  await service.ledger.faucet({ address: stranger.address, lovelace: '900000000' });
  await service.ledger.mine();
  const { body: refrozen } = await freeze();
  for (const signer of [vault.big, stranger, vault.middle]) {
    expect(await addWitness(refrozen, signer)).toMatchObject({ status: 200 });
  }
  expect(await execute(service, id, body)).toMatchObject({ status: 200 });
});

test('outputs a buyer has signed away are not spent by their other requests, and two sales to one buyer use different outputs', async () => {
  const buyer = await service.fundedWallet({ Boat: '1' }, '900000000');
  await service.ledger.faucet({ address: buyer.address, lovelace: '800000000' });
  await service.ledger.mine();
  const vault = await vaultWithCustody(service);
  const sales = [await freezeSaleTo(vault, buyer), await freezeSaleTo(vault, buyer)];
  for (const { frozen } of sales) expect(await addWitness(frozen, buyer)).toMatchObject({ status: 200 });
  expect(await addAssetElsewhere(buyer, 'Boat')).toMatchObject(errorResponse(400, 'ASSET_NOT_IN_WALLET'));
  for (const { id, body, frozen } of sales) {
    for (const signer of [vault.big, vault.middle])
      expect(await addWitness(frozen, signer)).toMatchObject({ status: 200 });
    expect(await execute(service, id, body)).toMatchObject({ status: 200 });
  }
});
