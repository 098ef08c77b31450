import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService, type newWallet } from '../vaults/api-service.ts';
import { execute, executeBody } from './execution-requests.ts';
import {
  addCustodyAda,
  addCustodyNft,
  createPassedProposal,
  mintNft,
  setMarketPrice,
  vaultWithCustody,
} from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;

interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Freezes the execution that the body names, and signs it by all of these wallets; returns its hash. */
async function freezeAndSign(id: string, body: object, signers: readonly ReturnType<typeof newWallet>[]) {
  const frozen = await service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  expect(frozen).toMatchObject({ status: 201 });
  const { hash, unsignedTx } = frozen.body.data.transaction;
  for (const signer of signers) {
    const witnessSet = signer.sign(unsignedTx);
    expect(await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet })).toMatchObject({ status: 200 });
  }
  return hash;
}

const executionState = async (id: string) =>
  (await service.api.get<{ data: { execution: { status: string } } }>(`/proposals/${id}`)).body.data.execution.status;

test('a buyer who waits for a higher market price before submitting does not get the asset for the frozen price', async () => {
  const buyer = await service.fundedWallet({}, String(3000 * ADA));
  const vault = await vaultWithCustody(service);
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  const signers = [vault.big, vault.middle, buyer];
  const sale = (price: number) => {
    const details = { ...villa, price: price * ADA, buyer_address: buyer.address };
    return executeBody(vault.big, [vault.big, vault.middle], { type: 'sell_asset', details });
  };
  await freezeAndSign(id, sale(500), signers);

  await setMarketPrice(service, villa, 501);
  expect(await execute(service, id, sale(500))).toMatchObject(errorResponse(400, 'PRICE_BELOW_VALUATION'));
  await setMarketPrice(service, villa, 500, new Date(Date.now() - 61 * 60_000).toISOString());
  expect(await execute(service, id, sale(500))).toMatchObject(errorResponse(500, 'PRICE_UNAVAILABLE'));
  expect(await executionState(id)).toBe('FROZEN');

  await setMarketPrice(service, villa, 600);
  const hash = await freezeAndSign(id, sale(600), signers);
  await setMarketPrice(service, villa, 550);
  expect(await execute(service, id, sale(600))).toMatchObject({
    status: 200,
    body: { transaction: { tx_hash: hash } },
  });
});

test('a seller who waits for a lower market price before submitting does not get the frozen price', async () => {
  const seller = await service.fundedWallet();
  const vault = await vaultWithCustody(service);
  await addCustodyNft(service, vault, 900);
  await addCustodyAda(service, vault, 5);
  const { named } = await mintNft(service, seller.address, 2);
  const id = await createPassedProposal(service, vault, { action_type: 'buy_asset', affected_assets: [named] });
  const details = { ...named, price: 500 * ADA, seller_address: seller.address };
  const purchase = executeBody(vault.big, [vault.big, vault.middle], { type: 'buy_asset', details });
  await freezeAndSign(id, purchase, [vault.big, vault.middle, seller]);

  await setMarketPrice(service, named, 499);
  expect(await execute(service, id, purchase)).toMatchObject(errorResponse(400, 'PRICE_ABOVE_VALUATION'));
  await setMarketPrice(service, named, 500);
  expect(await execute(service, id, purchase)).toMatchObject({ status: 200 });
});

test('while holders claim, what only the admin has priced is sold for no less than that, at a price of the vote', async () => {
  const buyer = await service.fundedWallet({}, String(3000 * ADA));
  const vault = await vaultWithCustody(service);
  const [deed, lease] = [await addCustodyNft(service, vault), await addCustodyNft(service, vault)];
  await service.sql.run`update assets set valuation_method = 'custom' where vault_id = ${vault.vaultId}`;
  const propose = (named: object, price?: number) => {
    const terms = price === undefined ? {} : { terms: { price: price * ADA } };
    return createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [named], ...terms });
  };
  const [fixed, open] = [await propose(deed, 500), await propose(lease)];
  await service.sql.run`insert into terminations (vault_id, decided_at, claim_seconds, float_lovelace, pot_lovelace,
       circulating,
       claims_opened_at, claim_deadline)
     values (${vault.vaultId}, now(), 7776000, 0, 1000000, 1000000000000, now(), now() + interval '90 days')`;
  await service.sql.run`update vaults set failed_because = 'liquidated', claims_open = true
      where id = ${vault.vaultId}`;
  const freeze = (id: string, named: object) => {
    const details = { ...named, price: 500 * ADA, buyer_address: buyer.address };
    const body = executeBody(vault.big, [vault.big, vault.middle], { type: 'sell_asset', details });
    return service.api.post(`/proposals/${id}/executions`, body);
  };
  const tooLittle = errorResponse(400, 'PRICE_BELOW_VALUATION');
  await setMarketPrice(service, deed, 501);
  expect(await freeze(fixed, deed)).toMatchObject(tooLittle);

  const silent = new Date(Date.now() - 61 * 60_000).toISOString();
  for (const named of [deed, lease]) await setMarketPrice(service, named, 501, silent);
  const setByAdmin = (lovelace: number) =>
    service.sql.query('update assets set counted_price = $1 where vault_id = $2', [lovelace, vault.vaultId]);
  await setByAdmin(500 * ADA + 1);
  expect(await freeze(fixed, deed)).toMatchObject(tooLittle);
  await setByAdmin(500 * ADA);
  expect(await freeze(fixed, deed)).toMatchObject({ status: 201 });
  // Whoever executes would choose the price.
  expect(await freeze(open, lease)).toMatchObject(errorResponse(500, 'PRICE_UNAVAILABLE'));
});
