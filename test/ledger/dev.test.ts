import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { openLedger } from './chain.ts';
import { FEE, funded, newWallet, signed } from './transactions.ts';

/** A ledger and a payment that is ready to be submitted. */
async function withPayment() {
  const ledger = await openLedger();
  const wallet = newWallet();
  const coin = await funded(ledger, wallet.address);
  const to = [{ address: wallet.address, lovelace: coin.lovelace - FEE }];
  return { ledger, wallet, ...signed({ from: [coin], to, signers: [wallet.key] }) };
}

test('the faucet sends ADA and mints the requested assets in one real transaction', async () => {
  await using ledger = await openLedger();
  const { address } = newWallet();
  const assets = [
    { assetNameHex: '4e465431', quantity: '1' },
    { assetNameHex: '434e54', quantity: '9223372036854775807' },
    { assetNameHex: '', quantity: '7' },
  ];
  const { status, body } = await ledger.dev('/faucet', { address, lovelace: '7000000', assets });
  expect(status).toBe(200);
  const { txHash, policyId } = body as { txHash: string; policyId: string };
  await ledger.mine();

  expect((await ledger.api(`/addresses/${address}`)).body).toMatchObject({
    amount: expect.arrayContaining([
      { unit: 'lovelace', quantity: '7000000' },
      { unit: `${policyId}434e54`, quantity: '9223372036854775807' },
    ]),
  });
  expect((await ledger.api(`/assets/${policyId}4e465431`)).body).toMatchObject({
    policy_id: policyId,
    asset_name: '4e465431',
    quantity: '1',
    initial_mint_tx_hash: txHash,
    mint_or_burn_count: 1,
    fingerprint: expect.stringMatching(/^asset1[02-9ac-hj-np-z]{38}$/),
  });
  expect((await ledger.api(`/assets/${policyId}4e465431/addresses`)).body).toEqual([{ address, quantity: '1' }]);
  expect((await ledger.api(`/scripts/${policyId}/json`)).body).toEqual({
    json: { type: 'sig', keyHash: expect.stringMatching(/^[0-9a-f]{56}$/) },
  });
  expect((await ledger.api(`/scripts/${'00'.repeat(28)}/json`)).status).toBe(404);
  expect((await ledger.api(`/addresses/${address}/utxos/${policyId}434e54`)).body).toMatchObject([{ tx_hash: txHash }]);
});

test('an asset minted twice has both quantities, and a rollback removes the second', async () => {
  await using ledger = await openLedger();
  const { address } = newWallet();
  const assets = [{ assetNameHex: 'aa', quantity: '5' }];
  const { policyId } = (await ledger.dev('/faucet', { address, assets })).body as { policyId: string };
  await ledger.mine();
  await ledger.dev('/faucet', { address, lovelace: '3000000', assets });
  await ledger.mine();
  const asset = async () => (await ledger.api(`/assets/${policyId}aa`)).body;
  expect(await asset()).toMatchObject({ quantity: '10', mint_or_burn_count: 2 });
  await ledger.dev('/rollback', { blocks: 1 });
  expect(await asset()).toMatchObject({ quantity: '5', mint_or_burn_count: 1 });
  await ledger.dev('/rollback', { blocks: 1 });
  expect((await ledger.api(`/assets/${policyId}aa`)).status).toBe(404);
});

test('the faucet can be used several times within one block', async () => {
  await using ledger = await openLedger();
  const { address } = newWallet();
  for (let given = 0; given < 30; given += 1) {
    expect((await ledger.dev('/faucet', { address, lovelace: '4000000000000' })).status).toBe(200);
  }
  await ledger.mine();
  expect((await ledger.api(`/addresses/${address}/utxos`)).body).toHaveLength(30);
});

test.each(['submit429', 'submit425'])(
  '%s refuses the requested number of submissions and accepts none of them',
  async (fault) => {
    const { ledger, hash, cbor } = await withPayment();
    await using _closing = ledger;
    await ledger.dev('/faults', { [fault]: 2 });
    const status = Number(fault.slice(-3));
    for (let tried = 0; tried < 2; tried += 1) {
      expect(await ledger.submit(cbor)).toMatchObject({ status, body: { status_code: status } });
      expect(await ledger.mempoolSize()).toBe(0);
    }
    expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
  },
);

test('submit500AfterAccept answers 500 although the transaction was accepted', async () => {
  const { ledger, hash, cbor } = await withPayment();
  await using _closing = ledger;
  await ledger.dev('/faults', { submit500AfterAccept: 1 });
  expect((await ledger.submit(cbor)).status).toBe(500);
  await ledger.mine();
  expect((await ledger.api(`/txs/${hash}`)).status).toBe(200);
});

test('drop answers with the hash of a valid transaction and discards it, and still refuses an invalid one', async () => {
  const { ledger, wallet, hash, cbor } = await withPayment();
  await using _closing = ledger;
  await ledger.dev('/faults', { drop: 1 });
  const nothing = signed({ from: [], to: [{ address: wallet.address, lovelace: 1_000_000n }], signers: [wallet.key] });
  expect((await ledger.submit(nothing.cbor)).status).toBe(400);
  expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
  await ledger.mine();
  expect((await ledger.api(`/txs/${hash}`)).status).toBe(404);
  expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
  await ledger.mine();
  expect((await ledger.api(`/txs/${hash}`)).status).toBe(200);
});

test('delayMs delays every answer', async () => {
  await using ledger = await openLedger();
  await ledger.dev('/faults', { delayMs: 150 });
  const start = performance.now();
  expect((await ledger.api('/blocks/latest')).status).toBe(200);
  expect(performance.now() - start).toBeGreaterThanOrEqual(145);
});

test('a ledger that is down answers 503 to every call until the faults are cleared', async () => {
  await using ledger = await openLedger();
  await ledger.dev('/faults', { all: 'down' });
  for (const path of ['/health', '/blocks/latest', '/nowhere']) expect((await ledger.api(path)).status).toBe(503);
  expect((await ledger.submit(new Uint8Array(1))).status).toBe(503);
  await ledger.dev('/faults', {});
  expect((await ledger.api('/health')).body).toEqual({ is_healthy: true });
});

test('the clock moves forward and never back', async () => {
  await using ledger = await openLedger();
  const before = (await ledger.get('/dev/clock')).body as { slot: number; nowMs: number };
  const { status, body } = await ledger.dev('/clock', { offsetMs: 3_600_000 });
  expect(status).toBe(200);
  const { slot, nowMs } = body as typeof before;
  expect(slot - before.slot).toBeGreaterThanOrEqual(3_600);
  expect(nowMs - before.nowMs).toBeGreaterThanOrEqual(3_600_000);
  expect((await ledger.dev('/clock', { offsetMs: 3_600_000 })).status).toBe(200);
  expect((await ledger.dev('/clock', { offsetMs: 3_599_999 })).status).toBe(400);
});

const { address } = newWallet();
test.each([
  ['/faucet', {}, 'address'],
  ['/faucet', { address: 'addr1nonsense' }, 'address'],
  ['/faucet', { address: newWallet().mainnetAddress }, 'address'],
  ['/faucet', { address, lovelace: 5 }, 'lovelace'],
  ['/faucet', { address, lovelace: '0' }, 'lovelace'],
  ['/faucet', { address, lovelace: '-1' }, 'lovelace'],
  ['/faucet', { address, lovelace: '1' }, 'lovelace'],
  ['/faucet', { address, lovelace: '9000000000000000000' }, 'faucet'],
  ['/faucet', { address, assets: [{ assetNameHex: 'zz', quantity: '1' }] }, 'assetNameHex'],
  ['/faucet', { address, assets: [{ assetNameHex: 'aa'.repeat(33), quantity: '1' }] }, 'assetNameHex'],
  ['/faucet', { address, assets: [{ assetNameHex: 'aa', quantity: '9223372036854775808' }] }, 'quantity'],
  ['/faucet', { address, assets: [{ assetNameHex: 'aa', quantity: '1.5' }] }, 'quantity'],
  ['/faucet', { address, unknown: 1 }, 'unknown'],
  ['/clock', {}, 'offsetMs'],
  ['/clock', { offsetMs: 1.5 }, 'offsetMs'],
  ['/clock', { offsetMs: 9e15 }, 'offsetMs'],
  ['/mine', { blocks: 0 }, 'blocks'],
  ['/rollback', {}, 'blocks'],
  ['/rollback', { blocks: -1 }, 'blocks'],
  ['/faults', { submit429: -1 }, 'submit429'],
  ['/faults', { all: 'up' }, 'all'],
  ['/faults', { nonsense: 1 }, 'nonsense'],
  ['/prices', { policyId: 'ab', lovelace: '1' }, 'policyId'],
  ['/prices', { policyId: 'ab'.repeat(28), lovelace: 1 }, 'lovelace'],
  ['/prices', { policyId: 'ab'.repeat(28), lovelace: '1', asOf: 'yesterday' }, 'asOf'],
])('invalid input to /dev%s is refused: %j', async (path, body, named) => {
  await using ledger = await openLedger();
  expect(await ledger.dev(path, body)).toMatchObject({
    status: 400,
    body: { status_code: 400, error: 'Bad Request', message: expect.stringContaining(named) },
  });
});

test('a body that is not JSON is refused', async () => {
  await using ledger = await openLedger();
  const answer = await fetch(`${ledger.url}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect(answer.status).toBe(400);
});

test('a page that reaches the ledger through a name of its own gets nothing', async () => {
  await using ledger = await openLedger();
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${ledger.url}/api/v0/blocks/latest`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject).end();
    });
  expect(await statusFor('evil.example:3100')).toBe(403);
  expect(await statusFor(new URL(ledger.url).host)).toBe(200);
  expect(await statusFor('localhost')).toBe(200);
});
