import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PublicKey, Ed25519Signature, Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { COSEKey, COSESign1, BigNum, type CBORValue, Int, Label } from '@emurgo/cardano-message-signing-nodejs';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { type DevWallet, fundedDevWallet } from './dev-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';

let stack: TestStack;
let wallet: DevWallet;
beforeAll(async () => {
  stack = await testStack({ blockMs: 0, services: ['worker', 'api'] });
  wallet = await fundedDevWallet(stack, 10);
});
afterAll(() => stack[Symbol.asyncDispose]());

const policyId = 'ab'.repeat(28);
const mainnet =
  'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x';
const sign = () => `/dev/wallets/${wallet.address}/sign-tx`;

test.each<[string, string | (() => string), unknown, string, string]>([
  ['no address', '/dev/faucet', {}, 'INVALID_REQUEST', 'address'],
  ['an address that is none', '/dev/faucet', { address: 'addr_test1nonsense' }, 'INVALID_ADDRESS', 'address'],
  ['a stake address', '/dev/faucet', () => ({ address: wallet.stakeAddress }), 'INVALID_ADDRESS', 'address'],
  ['an address of mainnet', '/dev/faucet', { address: mainnet }, 'WRONG_NETWORK', 'address'],
  ['no lovelace at all', '/dev/faucet', () => gift({ lovelace: 0 }), 'INVALID_REQUEST', 'lovelace'],
  ['a fraction of a lovelace', '/dev/faucet', () => gift({ lovelace: 1.5 }), 'INVALID_REQUEST', 'lovelace'],
  [
    'more lovelace than there are',
    '/dev/faucet',
    () => gift({ lovelace: '45000000000000001' }),
    'INVALID_REQUEST',
    'lovelace',
  ],
  ['lovelace as words', '/dev/faucet', () => gift({ lovelace: 'many' }), 'INVALID_REQUEST', 'lovelace'],
  ['assets that are no list', '/dev/faucet', () => gift({ assets: {} }), 'INVALID_REQUEST', 'assets'],
  [
    'an asset without quantity',
    '/dev/faucet',
    () => gift({ assets: [{ assetName: 'x' }] }),
    'INVALID_REQUEST',
    'assets.0.quantity',
  ],
  [
    'a quantity below 1',
    '/dev/faucet',
    () => gift({ assets: [{ assetName: 'x', quantity: 0 }] }),
    'INVALID_REQUEST',
    'assets.0.quantity',
  ],
  [
    'a quantity of 2^63',
    '/dev/faucet',
    () => gift({ assets: [{ assetName: 'x', quantity: '9223372036854775808' }] }),
    'INVALID_REQUEST',
    'assets.0.quantity',
  ],
  [
    'an asset name of 33 bytes',
    '/dev/faucet',
    () => gift({ assets: [{ assetName: 'x'.repeat(33), quantity: 1 }] }),
    'INVALID_ASSET_NAME',
    'assets.0.assetName',
  ],
  [
    'half a byte of an asset name',
    '/dev/faucet',
    () => gift({ assets: [{ assetName: '0xabc', quantity: 1 }] }),
    'INVALID_ASSET_NAME',
    'assets.0.assetName',
  ],
  ['an unknown field', '/dev/faucet', () => gift({ ada: 1 }), 'INVALID_REQUEST', 'ada'],
  ['a wallet with an unknown field', '/dev/wallets', { name: 'mine' }, 'INVALID_REQUEST', 'name'],
  ['no transaction', sign, {}, 'INVALID_REQUEST', 'tx'],
  ['a transaction that is not hex', sign, { tx: 'xyz' }, 'INVALID_REQUEST', 'tx'],
  ['a transaction that is not CBOR', sign, { tx: 'ffff' }, 'INVALID_CBOR', 'tx'],
  ['a transaction that is another CBOR', sign, { tx: '83010203' }, 'INVALID_CBOR', 'tx'],
  ['a transaction above 16 KB', sign, { tx: 'ab'.repeat(16_385) }, 'INVALID_REQUEST', 'tx'],
  ['no payload', () => `/dev/wallets/${wallet.address}/sign-data`, {}, 'INVALID_REQUEST', 'payload'],
  [
    'a payload that is not hex',
    () => `/dev/wallets/${wallet.address}/sign-data`,
    { payload: 'hello' },
    'INVALID_REQUEST',
    'payload',
  ],
  ['no seconds', '/dev/clock/advance', {}, 'INVALID_REQUEST', 'seconds'],
  ['an advance of zero seconds', '/dev/clock/advance', { seconds: 0 }, 'INVALID_REQUEST', 'seconds'],
  ['time that goes back', '/dev/clock/advance', { seconds: -5 }, 'INVALID_REQUEST', 'seconds'],
  ['half a second', '/dev/clock/advance', { seconds: 0.5 }, 'INVALID_REQUEST', 'seconds'],
  ['a lifetime', '/dev/clock/advance', { seconds: 3_000_000_000 }, 'INVALID_REQUEST', 'seconds'],
  ['seconds as text', '/dev/clock/advance', { seconds: '60' }, 'INVALID_REQUEST', 'seconds'],
  ['a price of nothing', '/dev/prices', { lovelace: 1 }, 'INVALID_REQUEST', 'policyId'],
  ['a price for half a policy', '/dev/prices', { policyId: 'abcd', lovelace: 1 }, 'INVALID_REQUEST', 'policyId'],
  ['no price', '/dev/prices', { policyId }, 'INVALID_REQUEST', 'lovelace'],
  ['a negative price', '/dev/prices', { policyId, lovelace: -1 }, 'INVALID_REQUEST', 'lovelace'],
  [
    'a price for too long a name',
    '/dev/prices',
    { policyId, assetName: 'x'.repeat(33), lovelace: 1 },
    'INVALID_ASSET_NAME',
    'assetName',
  ],
  ['a price with 10 decimals', '/dev/prices', { policyId, lovelace: 1, decimals: 10 }, 'INVALID_REQUEST', 'decimals'],
  [
    'a price with an invalid time',
    '/dev/prices',
    { policyId, lovelace: 1, asOf: 'yesterday' },
    'INVALID_REQUEST',
    'asOf',
  ],
  ['a rollback of nothing', '/dev/ledger/rollback', { blocks: 0 }, 'INVALID_REQUEST', 'blocks'],
  ['a rollback of everything', '/dev/ledger/rollback', { blocks: 5000 }, 'INVALID_REQUEST', 'blocks'],
  ['a rollback with a text count', '/dev/ledger/rollback', { blocks: 'two' }, 'INVALID_REQUEST', 'blocks'],
  ['an unknown fault', '/dev/ledger/faults', { explode: true }, 'INVALID_REQUEST', 'explode'],
  ['a negative fault', '/dev/ledger/faults', { drop: -1 }, 'INVALID_REQUEST', 'drop'],
  ['a fault of another type', '/dev/ledger/faults', { all: 'up' }, 'INVALID_REQUEST', 'all'],
])('%s is refused with its field named and changes nothing', async (_case, path, body, code, field) => {
  const before = await traces();
  const answer = await stack.root.post(
    typeof path === 'string' ? path : path(),
    typeof body === 'function' ? (body as () => unknown)() : body,
  );
  expect(answer.body).toMatchObject({ status: 'error', error: { code, details: { errors: [{ field }] } } });
  expect(answer.status).toBe(400);
  expect(await traces()).toEqual(before);
});

test.each([
  ['sign-tx', { tx: 'ab' }],
  ['sign-data', { payload: 'ab' }],
])('%s refuses wallets that it did not create, the platform wallet included', async (what, body) => {
  const { body: listed } = await stack.root.get<{ wallets: { address: string; platform: boolean }[] }>('/dev/wallets');
  const platform = listed.wallets.find((each) => each.platform)?.address ?? 'missing';
  for (const address of [mainnet, 'nobody', platform]) {
    const answer = await stack.root.post(`/dev/wallets/${address}/${what}`, body);
    expect(answer).toMatchObject(errorResponse(404, 'WALLET_NOT_FOUND'));
  }
});

test('a rollback deeper than the chain is refused with a reason', async () => {
  const answer = await stack.root.post('/dev/ledger/rollback', { blocks: 2000 });
  expect(answer).toMatchObject(errorResponse(400, 'LEDGER_SWITCH_REFUSED', { reason: expect.stringMatching(/block/) }));
});

test('only an admin can use the development endpoints', async () => {
  expect(await stack.root.get('/dev/clock', { key: null })).toMatchObject({ status: 401 });
  const { root } = stack;
  const made = await stack.api.post<{ data: { key: string } }>('/api-keys', {
    name: 'not an admin',
    roles: ['VAULT_CREATOR', 'VOTER'],
  });
  const { key } = made.body.data;
  for (const path of [
    '/dev/wallets',
    '/dev/faucet',
    '/dev/clock/advance',
    '/dev/prices',
    '/dev/ledger/rollback',
    '/dev/ledger/faults',
  ]) {
    expect(await root.post(path, {}, { key })).toMatchObject(errorResponse(403, 'INSUFFICIENT_PERMISSIONS'));
  }
  expect(await root.get('/dev/clock', { key })).toMatchObject({ status: 403 });
  expect(await root.get('/dev/wallets', { key })).toMatchObject({ status: 403 });
});

test('funds are in the wallet when the faucet has answered, with amounts as numbers or as text', async () => {
  const { address } = await fundedDevWallet(stack, 5);
  const answer = await stack.root.post<{ policyId: string }>('/dev/faucet', {
    address: address.toUpperCase(),
    lovelace: 3_000_000,
    assets: [
      { assetName: 'Gold', quantity: 7 },
      { assetName: '0x00ff', quantity: '9223372036854775807' },
    ],
  });
  expect(answer.status).toBe(200);
  const utxos = await stack.ledger.query<{ amount: { unit: string; quantity: string }[] }[]>(
    `/addresses/${address}/utxos`,
  );
  expect(utxos?.at(-1)?.amount).toEqual(
    expect.arrayContaining([
      { unit: 'lovelace', quantity: '3000000' },
      { unit: `${answer.body.policyId}${Buffer.from('Gold').toString('hex')}`, quantity: '7' },
      { unit: `${answer.body.policyId}00ff`, quantity: '9223372036854775807' },
    ]),
  );
});

test('development wallets survive a restart of the api with the same addresses', async () => {
  const before = await stack.root.get('/dev/wallets');
  await stack.restart('api');
  const after = await stack.root.get<{ wallets: DevWallet[] }>('/dev/wallets');
  expect(after.body).toEqual(before.body);
  const next = await stack.root.post<DevWallet>('/dev/wallets');
  expect(after.body.wallets.map(({ address }) => address)).not.toContain(next.body.address);
});

test('other libraries verify a signed message with the key of the address', async () => {
  const payload = Buffer.from('0123456789abcdef0123456789abcdef:1763719200000').toString('hex');
  const answer = await stack.root.post<{ signature: string; key: string }>(`/dev/wallets/${wallet.address}/sign-data`, {
    payload,
  });
  const signed = COSESign1.from_bytes(Buffer.from(answer.body.signature, 'hex'));
  const header = signed.headers().protected().deserialized_headers();
  const address = header.header(Label.new_text('address'))?.as_bytes() ?? Buffer.alloc(0);
  expect(Address.from_bytes(address).to_bech32()).toBe(wallet.address);
  expect(Buffer.from(signed.payload() ?? []).toString('hex')).toBe(payload);

  const x = COSEKey.from_bytes(Buffer.from(answer.body.key, 'hex')).header(
    Label.new_int(Int.new_negative(BigNum.from_str('2'))),
  ) as CBORValue;
  const publicKey = PublicKey.from_bytes(x.as_bytes() ?? Buffer.alloc(0));
  const signature = Ed25519Signature.from_bytes(signed.signature());
  expect(publicKey.verify(signed.signed_data().to_bytes(), signature)).toBe(true);
  expect(Buffer.from(address.subarray(1, 29)).toString('hex')).toBe(publicKey.hash().to_hex());
});

test('the price feed returns a price that was set', async () => {
  const set = await stack.root.post('/dev/prices', { policyId, assetName: 'Gold', lovelace: '77', decimals: 6 });
  const assetNameHex = Buffer.from('Gold').toString('hex');
  expect(set).toMatchObject({ status: 200, body: { policyId, assetNameHex, lovelace: '77', decimals: 6 } });
  expect(await stack.ledger.price(policyId, assetNameHex)).toMatchObject({ lovelace: '77', decimals: 6 });
});

test('faults can be set and cleared, and blocks rolled back', async () => {
  expect(await stack.root.post('/dev/ledger/faults', { submit429: 2 })).toMatchObject({
    status: 200,
    body: { submit429: 2 },
  });
  expect(await stack.root.post('/dev/ledger/faults', {})).toMatchObject({ status: 200, body: {} });
  const { height } = await stack.ledger.mine(3);
  expect(await stack.root.post('/dev/ledger/rollback', { blocks: 2 })).toMatchObject({
    status: 200,
    body: { height: height - 2 },
  });
});

function gift(changes: Record<string, unknown>) {
  return { address: wallet.address, ...changes };
}

/** Everything that a refused call could have changed. */
async function traces(): Promise<unknown[]> {
  const { body } = await stack.root.get('/dev/wallets');
  const tip = await stack.ledger.query<{ hash: string }>('/blocks/latest');
  const { offsetMs } = await stack.ledger.clock();
  const { lovelace } = await stack.ledger.price(policyId);
  return [body, tip?.hash, offsetMs, lovelace];
}
