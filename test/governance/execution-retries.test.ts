import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService, type newWallet } from '../vaults/api-service.ts';
import { execute, executeBody } from './execution-requests.ts';
import {
  type AssetName,
  addCustodyNft,
  vaultWithCustody,
  createPassedProposal,
  setMarketPrice,
} from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const PRICE = 600_000_000;

interface ExecutionResponse {
  readonly data: { readonly id: string; readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

type Wallet = ReturnType<typeof newWallet>;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A sale to a wallet that has the price. The vote named price and buyer, or left them open. */
async function saleTo(isOpen: boolean) {
  const buyer = await service.fundedWallet({}, '900000000');
  const vault = await vaultWithCustody(service);
  const villa = await addCustodyNft(service, vault);
  const terms = isOpen ? {} : { price: PRICE, buyer_address: buyer.address };
  const id = await createPassedProposal(
    service,
    vault,
    { action_type: 'sell_asset', affected_assets: [villa], terms },
    1,
  );
  const { big, middle } = vault;
  const sale = (more: object = {}) => {
    return executeBody(big, [big, middle], { type: 'sell_asset', details: { ...villa, price: PRICE, ...more } });
  };
  return { buyer, vault, villa, id, sale, big, middle };
}

const freeze = (id: string, body: object) => service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);

const sign = ({ data: { transaction } }: ExecutionResponse, signer: Pick<Wallet, 'sign'>) =>
  service.api.post(`/transactions/${transaction.hash}/witnesses`, { witnessSet: signer.sign(transaction.unsignedTx) });

const inHex = ({ policy_id, asset_name }: AssetName) => ({
  policy_id: policy_id.toUpperCase(),
  asset_name: `0x${Buffer.from(asset_name).toString('hex').toUpperCase()}`,
});

test('a frozen execution accepts the same action in every notation', async () => {
  const { buyer, villa, id, sale, big, middle } = await saleTo(false);
  const { status, body } = await freeze(id, sale());
  expect(status).toBe(201);
  const written = [
    sale({ price: String(PRICE) }),
    sale(inHex(villa)),
    sale({ buyer_address: buyer.address }),
    sale({ buyer_address: buyer.address.toUpperCase() }),
    executeBody(big, [middle, big], { type: 'ASSET_SALE', details: { affected_assets: [villa], price: PRICE } }),
  ];
  for (const same of written) expect(await execute(service, id, same)).toMatchObject(signaturesMissing);
  const { hash } = body.data.transaction;
  for (const signer of [big, middle, buyer]) expect(await sign(body, signer)).toMatchObject({ status: 200 });
  expect(await execute(service, id, written[1] ?? {})).toMatchObject({
    status: 200,
    body: { transaction: { tx_hash: hash } },
  });
});

const signaturesMissing = errorResponse(403, 'INSUFFICIENT_SIGNATURES');

test('an action that differs from the frozen one is refused with each differing field and its frozen value', async () => {
  const { buyer, id, sale, big, middle } = await saleTo(true);
  const other = await service.fundedWallet({}, '900000000');
  const frozen = await freeze(id, sale({ buyer_address: buyer.address }));
  expect(frozen).toMatchObject({ status: 201 });
  // The buyer need not be named again.
  expect(await execute(service, id, sale())).toMatchObject(signaturesMissing);

  const { action } = sale({ buyer_address: other.address, price: 1 });
  // The same key named twice is one cosigner.
  const problem = (field: string, message: string) => ({ code: 'FROZEN_FOR_ANOTHER_ACTION', field, message });
  expect(await execute(service, id, executeBody(big, [big, big], action))).toMatchObject(
    errorResponse(400, 'FROZEN_FOR_ANOTHER_ACTION', {
      errors: [
        problem('action.details.price', `The transaction was frozen with ${PRICE}.`),
        problem('action.details.buyer_address', `The transaction was frozen with ${buyer.address}.`),
        problem('cosigners', `The transaction was frozen for ${big.address}, ${middle.address}.`),
      ],
      transaction: { tx_hash: frozen.body.data.transaction.hash },
    }),
  );
});

test('freezing the same action again keeps the frozen transaction and its signatures, whatever the price is by now', async () => {
  const { buyer, villa, id, sale, big, middle } = await saleTo(true);
  const request = sale({ buyer_address: buyer.address });
  const { body: first } = await freeze(id, request);
  expect(await sign(first, big)).toMatchObject({ status: 200 });
  await setMarketPrice(service, villa, 10_000);
  const aDayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
  await setMarketPrice(service, villa, 10_000, aDayAgo);
  const same = { status: 201, body: { data: { id: first.data.id, multiSignature: { signers: [big.keyHash] } } } };
  const written = [
    request,
    executeBody(big, [middle, big], { ...request.action, type: 'ASSET_SALE' }),
    executeBody(middle, [big, middle], request.action),
    executeBody(buyer, [big, middle], sale().action),
  ];
  for (const body of written) expect(await freeze(id, body)).toMatchObject(same);
  const twice = await Promise.all([freeze(id, request), freeze(id, request)]);
  expect(twice).toMatchObject([same, same]);

  // If the action names no buyer, the executor is the buyer.
  expect(await freeze(id, sale())).toMatchObject(errorResponse(500, 'PRICE_UNAVAILABLE'));
  await setMarketPrice(service, villa, 500);
  expect(await freeze(id, sale())).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
  expect(await freeze(id, request)).toMatchObject(same);
  const other = await freeze(id, sale({ buyer_address: buyer.address, price: PRICE + 1 }));
  expect(other).toMatchObject({ status: 201, body: { data: { multiSignature: { signers: [] } } } });
  expect(await sign(first, middle)).toMatchObject(errorResponse(400, 'TRANSACTION_EXPIRED'));
});

test('an execution that cannot be confirmed because its buyer spent the money elsewhere is frozen again by the same request', async () => {
  const { buyer, id, sale, big } = await saleTo(false);
  const { body: first } = await freeze(id, sale());
  expect(await sign(first, big)).toMatchObject({ status: 200 });
  await sendAllToSelf(service, buyer);
  await service.ledger.mine();
  const again = await freeze(id, sale());
  expect(again).toMatchObject({ status: 201, body: { data: { multiSignature: { signers: [] } } } });
  expect(again.body.data.id).not.toBe(first.data.id);
  expect(await sign(first, buyer)).toMatchObject(errorResponse(400, 'TRANSACTION_EXPIRED'));
  expect(await sign(again.body, buyer)).toMatchObject({ status: 200 });
});
