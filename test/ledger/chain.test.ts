import { expect, test } from '@jest/globals';
import { type TestLedger, eventually, openLedger } from './chain.ts';
import { type Coin, FEE, funded, newWallet, signed } from './transactions.ts';

/** A chain of `length` payments from one wallet to itself, each spending the one before. */
function chained(coin: Coin, wallet: ReturnType<typeof newWallet>, length: number) {
  const transactions: { hash: string; cbor: Uint8Array }[] = [];
  let last = coin;
  for (let made = 0; made < length; made += 1) {
    const lovelace = last.lovelace - FEE;
    const next = signed({ from: [last], to: [{ address: wallet.address, lovelace }], signers: [wallet.key] });
    last = { hash: next.hash, index: 0, lovelace };
    transactions.push(next);
  }
  return transactions;
}

async function walletWithCoin(ledger: TestLedger) {
  const wallet = newWallet();
  return { wallet, coin: await funded(ledger, wallet.address) };
}

test('unconfirmed transactions can be chained and are confirmed in order in one block', async () => {
  await using ledger = await openLedger();
  const { wallet, coin } = await walletWithCoin(ledger);
  const chain = chained(coin, wallet, 20);
  for (const { cbor, hash } of chain) expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });

  expect((await ledger.api(`/mempool/${chain[3]!.hash}`)).body).toMatchObject({
    tx: { hash: chain[3]!.hash, fees: String(FEE) },
    inputs: [{ tx_hash: chain[2]!.hash, output_index: 0 }],
  });
  expect((await ledger.api(`/txs/${chain[3]!.hash}`)).status).toBe(404);

  const { height } = await ledger.mine();
  expect((await ledger.api(`/blocks/${height}/txs`)).body).toEqual(chain.map(({ hash }) => hash));
  expect((await ledger.api(`/mempool/${chain[3]!.hash}`)).status).toBe(404);
});

test('a block holds at most 90 KB, and mine adds blocks until the mempool is empty', async () => {
  await using ledger = await openLedger();
  const payers = [];
  for (let made = 0; made < 7; made += 1) payers.push(await walletWithCoin(ledger));
  const hashes: string[] = [];
  for (const { wallet, coin } of payers) {
    const metadata = { 674: Array.from({ length: 230 }, () => 'x'.repeat(60)) };
    const to = [{ address: wallet.address, lovelace: coin.lovelace - 2_000_000n }];
    const { hash, cbor } = signed({ from: [coin], to, signers: [wallet.key], fee: 2_000_000n, metadata });
    expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
    hashes.push(hash);
  }
  const before = await ledger.tip();
  const { height } = await ledger.mine();

  expect(height).toBe(before.height + 2);
  const first = (await ledger.api(`/blocks/${height - 1}/txs`)).body as string[];
  const second = (await ledger.api(`/blocks/${height}/txs`)).body as string[];
  expect([...first, ...second]).toEqual(hashes);
  expect(first.length).toBe(6);
});

test('a rollback removes transactions, and the same bytes are accepted again in another block', async () => {
  await using ledger = await openLedger();
  const { wallet, coin } = await walletWithCoin(ledger);
  const { hash, cbor } = chained(coin, wallet, 1)[0]!;
  await ledger.submit(cbor);
  const first = await ledger.mine();
  await ledger.mine(2);
  const firstBlock = (await ledger.api(`/txs/${hash}`)).body as { block: string };

  expect((await ledger.dev('/rollback', { blocks: 3 })).body).toMatchObject({ height: first.height - 1 });

  expect((await ledger.api(`/txs/${hash}`)).status).toBe(404);
  expect((await ledger.api(`/blocks/${firstBlock.block}`)).status).toBe(404);
  expect((await ledger.api(`/blocks/${firstBlock.block}/next`)).status).toBe(404);
  expect(await ledger.mempoolSize()).toBe(0);
  expect((await ledger.api(`/addresses/${wallet.address}/utxos`)).body).toMatchObject([{ tx_hash: coin.hash }]);
  expect((await ledger.api(`/addresses/${wallet.address}/transactions`)).body).toHaveLength(1);

  expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
  await ledger.mine();
  const again = (await ledger.api(`/txs/${hash}`)).body as { block: string; block_height: number };
  expect(again.block_height).toBe(first.height);
  expect(again.block).not.toBe(firstBlock.block);
});

test('an empty block made after a rollback has a different hash', async () => {
  await using ledger = await openLedger();
  await ledger.mine();
  const { hash, height } = await ledger.tip();
  await ledger.dev('/rollback', { blocks: 1 });
  await ledger.mine();
  const again = await ledger.tip();
  expect(again.height).toBe(height);
  expect(again.hash).not.toBe(hash);
});

test('a rollback drops mempool transactions that depend on it and keeps the others', async () => {
  await using ledger = await openLedger();
  const early = await walletWithCoin(ledger);
  const late = await walletWithCoin(ledger);
  const kept = chained(early.coin, early.wallet, 1)[0]!;
  const dropped = chained(late.coin, late.wallet, 1)[0]!;
  await ledger.submit(kept.cbor);
  await ledger.submit(dropped.cbor);

  await ledger.dev('/rollback', { blocks: 1 });

  expect((await ledger.api('/mempool')).body).toEqual([{ tx_hash: kept.hash }]);
});

test('a rollback is at most 100 blocks deep and never removes the genesis block', async () => {
  await using ledger = await openLedger();
  await ledger.mine(3);
  expect(await ledger.dev('/rollback', { blocks: 4 })).toMatchObject({ status: 400 });
  expect(await ledger.dev('/rollback', { blocks: 101 })).toMatchObject({ status: 400 });
  const { wallet } = await walletWithCoin(ledger);
  await ledger.mine(99);
  expect(await ledger.dev('/rollback', { blocks: 100 })).toMatchObject({ status: 200 });
  expect((await ledger.api(`/addresses/${wallet.address}`)).status).toBe(404);
});

test('the history of an address, its inputs and outputs and its metadata can be read back', async () => {
  await using ledger = await openLedger();
  const { wallet, coin } = await walletWithCoin(ledger);
  const metadata = { 674: { msg: ['hello'] }, 1990: { root: 'ab'.repeat(32) } };
  const to = [{ address: wallet.address, lovelace: coin.lovelace - FEE }];
  const { hash, cbor } = signed({ from: [coin], to, signers: [wallet.key], metadata });
  await ledger.submit(cbor);
  const { height, slot } = await ledger.mine();

  expect((await ledger.api(`/txs/${hash}`)).body).toMatchObject({
    hash,
    block_height: height,
    slot,
    fees: String(FEE),
  });
  expect((await ledger.api(`/txs/${hash}/cbor`)).body).toEqual({ cbor: Buffer.from(cbor).toString('hex') });
  expect((await ledger.api(`/txs/${coin.hash}/utxos`)).body).toMatchObject({
    outputs: expect.arrayContaining([expect.objectContaining({ address: wallet.address, consumed_by_tx: hash })]),
  });
  expect((await ledger.api(`/txs/${hash}/utxos`)).body).toMatchObject({
    inputs: [{ address: wallet.address, tx_hash: coin.hash, output_index: 0 }],
    outputs: [{ address: wallet.address, output_index: 0, consumed_by_tx: null }],
  });
  expect((await ledger.api(`/txs/${hash}/metadata`)).body).toEqual([
    { label: '674', json_metadata: metadata[674] },
    { label: '1990', json_metadata: metadata[1990] },
  ]);
  expect((await ledger.api('/metadata/txs/labels/1990')).body).toEqual([
    { tx_hash: hash, json_metadata: metadata[1990] },
  ]);
  expect((await ledger.api('/metadata/txs/labels/1991')).status).toBe(404);

  await ledger.dev('/rollback', { blocks: 1 });
  expect((await ledger.api('/metadata/txs/labels/1990')).status).toBe(404);
});

test('numbers in metadata keep every digit', async () => {
  await using ledger = await openLedger();
  const { wallet, coin } = await walletWithCoin(ledger);
  const to = [{ address: wallet.address, lovelace: coin.lovelace - FEE }];
  const metadata = { 674: JSON.rawJSON('9007199254740993') };
  const { hash, cbor } = signed({ from: [coin], to, signers: [wallet.key], metadata });
  await ledger.submit(cbor);
  await ledger.mine();
  const answer = await fetch(`${ledger.url}/api/v0/txs/${hash}/metadata`);
  expect(await answer.text()).toContain('9007199254740993');
});

test('lists have pages of at most 100 entries, in both orders', async () => {
  await using ledger = await openLedger();
  const { wallet, coin } = await walletWithCoin(ledger);
  const to = Array.from({ length: 120 }, () => ({ address: wallet.address, lovelace: 1_000_000n }));
  const rest = { address: newWallet().address, lovelace: coin.lovelace * 2n - 120_000_000n - 600_000n };
  const more = await funded(ledger, wallet.address);
  const { cbor } = signed({ from: [coin, more], to: [...to, rest], signers: [wallet.key], fee: 600_000n });
  expect((await ledger.submit(cbor)).status).toBe(200);
  await ledger.mine();
  const indexes = async (query: string) => {
    const { body } = await ledger.api(`/addresses/${wallet.address}/utxos${query}`);
    return (body as { output_index: number }[]).map((utxo) => utxo.output_index);
  };
  const all = to.map((_, index) => index);

  expect(await indexes('')).toEqual(all.slice(0, 100));
  expect(await indexes('?page=2')).toEqual(all.slice(100));
  expect(await indexes('?page=3')).toEqual([]);
  expect(await indexes('?count=7&page=2&order=desc')).toEqual(all.toReversed().slice(7, 14));
  for (const query of ['count=101', 'count=0', 'page=0', 'page=x', 'order=up']) {
    const { status, body } = await ledger.api(`/addresses/${wallet.address}/utxos?${query}`);
    expect({ query, status, body }).toMatchObject({ query, status: 400, body: { error: 'Bad Request' } });
  }
});

test('the blocks before and after any block can be listed', async () => {
  await using ledger = await openLedger();
  await ledger.mine(12);
  const heights = async (path: string) =>
    ((await ledger.api(path)).body as { height: number }[]).map((block) => block.height);
  const { body } = await ledger.api('/blocks/5');
  const { hash, previous_block, next_block } = body as Record<string, string>;

  expect(await heights(`/blocks/${hash}/next`)).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(await heights(`/blocks/${hash}/next?count=2&page=2`)).toEqual([8, 9]);
  expect(await heights('/blocks/latest/next')).toEqual([]);
  expect(await heights(`/blocks/${hash}/previous?count=2`)).toEqual([3, 4]);
  expect(await heights(`/blocks/${hash}/previous?count=2&page=2`)).toEqual([1, 2]);
  expect((await ledger.api(`/blocks/${previous_block}`)).body).toMatchObject({ height: 4, confirmations: 8 });
  expect((await ledger.api(`/blocks/${next_block}`)).body).toMatchObject({ height: 6, previous_block: hash });
});

test('missing resources return 404 and invalid requests 400, as with Blockfrost', async () => {
  await using ledger = await openLedger();
  const nobody = newWallet();
  const missing = { status_code: 404, error: 'Not Found', message: 'The requested component has not been found.' };
  for (const path of [
    `/addresses/${nobody.address}`,
    `/addresses/${nobody.address}/utxos`,
    `/txs/${'00'.repeat(32)}`,
    `/txs/${'00'.repeat(32)}/utxos`,
    `/blocks/${'ff'.repeat(32)}`,
    '/blocks/99',
    `/assets/${'00'.repeat(28)}`,
    '/nowhere',
  ]) {
    expect({ path, ...(await ledger.api(path)) }).toEqual({ path, status: 404, body: missing });
  }
  for (const path of [`/addresses/${nobody.mainnetAddress}`, '/addresses/addr_test1junk', '/assets/xyz']) {
    expect({ path, ...(await ledger.api(path)) }).toMatchObject({ path, status: 400 });
  }
  expect(await ledger.submit(new Uint8Array(4), 'application/json')).toMatchObject({
    status: 415,
    body: { error: 'Unsupported Media Type' },
  });
});

test('a client can convert slots to time, also after the clock is moved', async () => {
  await using ledger = await openLedger();
  const genesis = (await ledger.api('/genesis')).body as { system_start: number; slot_length: number };
  const eras = (await ledger.api('/network/eras')).body as { start: { slot: number }; end: { slot: number } }[];
  for (const offsetMs of [0, 30 * 86_400_000]) {
    await ledger.dev('/clock', { offsetMs });
    const before = Date.now();
    await ledger.mine();
    const made = Date.now();
    const { slot, time } = await ledger.tip();
    expect(time).toBe(genesis.system_start + slot * genesis.slot_length);
    // A slot lasts one second; its time is its start.
    expect(time * 1000).toBeGreaterThan(before + offsetMs - 1000);
    expect(time * 1000).toBeLessThanOrEqual(made + offsetMs);
  }
  expect(eras).toMatchObject([{ start: { slot: 0, time: 0 }, parameters: { slot_length: 1 } }]);
});

test('blocks are made at intervals, also without transactions', async () => {
  await using ledger = await openLedger({ blockMs: 20 });
  const { height } = await ledger.tip();
  const tip = await eventually(
    () => ledger.tip(),
    (block) => block.height > height + 2,
  );
  expect((await ledger.api(`/blocks/${tip.height - 1}`)).body).toMatchObject({ hash: tip.previous_block, tx_count: 0 });
});
