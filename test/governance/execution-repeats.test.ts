import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService } from '../vault/api-service.ts';
import { execute, executeBody } from './executions.ts';
import { type AssetNamed, held, holdingVault, passed } from './holding-vault.ts';
import { refusal } from './locked-vault.ts';

const PRICE = 600_000_000;

interface Frozen {
  readonly data: { readonly id: string; readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A sale to a wallet that has the price; the vote named the buyer or left him open. */
async function saleTo(namesBuyer: boolean) {
  const buyer = await service.fundedWallet({}, '900000000');
  const vault = await holdingVault(service);
  const villa = await held(service, vault);
  const terms = { price: PRICE, ...(namesBuyer && { buyer_address: buyer.address }) };
  const id = await passed(service, vault, { action_type: 'sell_asset', affected_assets: [villa], terms }, 1);
  const { big, middle } = vault;
  const sale = (more: object = {}) => {
    return executeBody(big, [big, middle], { type: 'sell_asset', details: { ...villa, price: PRICE, ...more } });
  };
  return { buyer, vault, villa, id, sale, big, middle };
}

const freeze = (id: string, body: object) => service.api.post<Frozen>(`/proposals/${id}/executions`, body);

const inHex = ({ policy_id, asset_name }: AssetNamed) => ({
  policy_id: policy_id.toUpperCase(),
  asset_name: `0x${Buffer.from(asset_name).toString('hex').toUpperCase()}`,
});

test('what is frozen is executed however the same action is written', async () => {
  const { buyer, villa, id, sale, big, middle } = await saleTo(true);
  const { status, body } = await freeze(id, sale());
  expect(status).toBe(201);
  const written = [
    sale({ price: String(PRICE) }),
    sale(inHex(villa)),
    sale({ buyer_address: buyer.address }),
    sale({ buyer_address: buyer.address.toUpperCase() }),
    executeBody(big, [middle, big], { type: 'ASSET_SALE', details: { affected_assets: [villa], price: PRICE } }),
  ];
  for (const same of written) expect(await execute(service, id, same)).toMatchObject(missing);
  const { hash, unsignedTx } = body.data.transaction;
  for (const signer of [big, middle, buyer]) {
    const witnessSet = signer.sign(unsignedTx);
    expect(await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet })).toMatchObject({ status: 200 });
  }
  expect(await execute(service, id, written[1] ?? {})).toMatchObject({
    status: 200,
    body: { transaction: { tx_hash: hash } },
  });
}, 60_000);

const missing = refusal(403, 'INSUFFICIENT_SIGNATURES');

test('where an action is not what is frozen, its fields are told, with what they were frozen with', async () => {
  const { buyer, id, sale, big, middle } = await saleTo(false);
  const other = await service.fundedWallet({}, '900000000');
  const frozen = await freeze(id, sale({ buyer_address: buyer.address }));
  expect(frozen).toMatchObject({ status: 201 });
  // Nobody needs to name the buyer again.
  expect(await execute(service, id, sale())).toMatchObject(missing);

  const { action } = sale({ buyer_address: other.address, price: 1 });
  // One key twice is one cosigner.
  const problem = (field: string, message: string) => ({ code: 'FROZEN_FOR_ANOTHER_ACTION', field, message });
  expect(await execute(service, id, executeBody(big, [big, big], action))).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'FROZEN_FOR_ANOTHER_ACTION',
        details: {
          errors: [
            problem('action.details.price', `Frozen with ${PRICE}`),
            problem('action.details.buyer_address', `Frozen with ${buyer.address}`),
            problem('cosigners', `Frozen for ${big.address}, ${middle.address}`),
          ],
          transaction: { tx_hash: frozen.body.data.transaction.hash },
        },
      },
    },
  });
}, 60_000);
