import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createPriceSource } from '../price-source.ts';
import { createLedger } from './ledger.ts';

/** What the far side answers next, by path; a real HTTP server, since timeouts and bodies are what is tested. */
type Answer = { status: number; body: string; location?: string } | 'silence' | 'hang up';
let answers: (request: IncomingMessage) => Answer;
let seen: IncomingMessage[] = [];
let server: Server;
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    const answer = answers(request);
    if (answer === 'silence') return;
    if (answer === 'hang up') response.destroy();
    else response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  baseUrl = `http://127.0.0.1:${address.port}/api/v0/`;
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ledger = (timeoutMs = 5_000) => createLedger({ baseUrl, projectId: 'p1', timeoutMs });
const json = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body) });
const hash = 'ab'.repeat(32);
const error = (status: number): Answer => json({ status_code: status, error: 'E', message: 'because' }, status);

test('every page of an address is read, with exact amounts beyond 2^53', async () => {
  const entry = (index: number) => ({
    address: 'addr_test1',
    tx_hash: hash,
    output_index: index,
    amount: [
      { unit: 'lovelace', quantity: '9007199254740993' },
      { unit: 'aa'.repeat(30), quantity: '9200000000000000000' },
    ],
  });
  answers = ({ url }) => json(Array.from({ length: url?.includes('page=3') ? 7 : 100 }, (_, index) => entry(index)));
  const utxos = await ledger().utxos('addr_test1');
  expect(utxos).toHaveLength(207);
  expect(utxos[0]).toMatchObject({ txHash: hash, index: 0, lovelace: 9_007_199_254_740_993n });
  expect(utxos[0]?.assets.get('aa'.repeat(30))).toBe(9_200_000_000_000_000_000n);
  expect(seen.map(({ url }) => url)).toContain('/api/v0/addresses/addr_test1/utxos?count=100&page=3');
  expect(seen[0]?.headers['project_id']).toBe('p1');
});

test('a wallet with endless UTxOs costs a request at most twenty pages, and the asked asset is found all the same', async () => {
  const rare = 'bb'.repeat(30);
  const entry = (index: number, unit: string) => ({
    address: 'addr_test1',
    tx_hash: hash,
    output_index: index,
    amount: [
      { unit: 'lovelace', quantity: '1000000' },
      { unit, quantity: '1' },
    ],
  });
  answers = ({ url = '' }) => {
    const page = Number(/page=(\d+)/.exec(url)?.[1]);
    if (url.includes(rare)) return json([entry(77_000, rare)]);
    return json(Array.from({ length: 100 }, (_, index) => entry(page * 100 + index, 'aa'.repeat(30))));
  };
  const utxos = await ledger().walletUtxos('addr_test1', [rare]);
  expect(utxos).toHaveLength(1_001);
  expect(utxos.filter(({ assets }) => assets.has(rare))).toHaveLength(1);
  expect(seen).toHaveLength(11);
});

test('a request that names a hundred assets of a large wallet asks the ledger for a few at once', async () => {
  const many = { address: 'addr_test1', tx_hash: hash, output_index: 0, amount: [{ unit: 'lovelace', quantity: '1' }] };
  const assets = Array.from({ length: 100 }, (_, index) => `${index + 100}`.repeat(20));
  answers = ({ url = '' }) => (url.includes('/utxos?') ? json(Array.from({ length: 100 }, () => many)) : 'silence');
  await expect(ledger(500).walletUtxos('addr_test1', assets)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(seen.length).toBe(14);
});

test('the platform never pays with an output that carries a reference script, a datum, a token or dust', async () => {
  const entry = (index: number, lovelace: string, extra: object, token: readonly object[] = []) => ({
    ...{ address: 'addr_test1', tx_hash: hash, output_index: index, data_hash: null, inline_datum: null },
    ...{ amount: [{ unit: 'lovelace', quantity: lovelace }, ...token], reference_script_hash: null, ...extra },
  });
  answers = () =>
    json([
      entry(0, '101000000', { reference_script_hash: 'ab' }),
      entry(1, '101000000', { data_hash: 'ab' }),
      entry(2, '101000000', { data_hash: 'ab', inline_datum: '40' }),
      entry(3, '101000000', {}, [{ unit: 'aa'.repeat(30), quantity: '1' }]),
      entry(4, '1999999', {}),
      entry(5, '10000000', {}),
    ]);
  expect(await ledger().payingUtxos('addr_test1')).toEqual([
    { txHash: hash, index: 5, address: 'addr_test1', lovelace: 10_000_000n, assets: new Map() },
  ]);
  // A wallet may spend what costs no more than other outputs.
  const ofWallet = await ledger().walletUtxos('addr_test1');
  expect(ofWallet.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
});

test.each([0, 1, 2, 4])(
  'a block of 3 transactions of which %i are answered is unavailable, never smaller',
  async (found) => {
    answers = () => json(Array.from({ length: found }, (_, index) => `${index}`.repeat(64)));
    await expect(ledger().blockTransactions({ hash, txCount: 3 })).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
    });
  },
);

test('a transaction that is answered twice does not stand for the one that is missing', async () => {
  answers = () => json(['1', '2', '2'].map((digit) => digit.repeat(64)));
  await expect(ledger().blockTransactions({ hash, txCount: 3 })).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
});

test.each(['', ' ', '1.5', 'many', '-1'])('an amount of "%s" is an unclear answer, and not zero', async (quantity) => {
  answers = ({ url = '' }) =>
    json(
      url.includes('/assets/')
        ? { quantity }
        : [{ address: 'addr_test1', tx_hash: hash, output_index: 0, amount: [{ unit: 'lovelace', quantity }] }],
    );
  const unclear = { code: 'LEDGER_UNAVAILABLE' };
  await expect(ledger().assetSupply('aa')).rejects.toMatchObject(unclear);
  await expect(ledger().utxos('addr_test1')).rejects.toMatchObject(unclear);
});

test('numbers that are none of the kind are an unclear answer', async () => {
  const block = { hash, height: 1, slot: 1, time: 1.5, tx_count: 0 };
  answers = () => json(block);
  await expect(ledger().latestBlock()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
});

test('while the ledger hangs a few calls wait for it, and all others are refused at once', async () => {
  const waiting = ledger(400);
  const codes = async (calls: number) => {
    const all = await Promise.allSettled(Array.from({ length: calls }, () => waiting.transaction(hash)));
    return new Set(all.map((one) => (one.status === 'fulfilled' ? 'answered' : (one.reason as { code: string }).code)));
  };
  answers = () => 'silence';
  expect(await codes(20)).toEqual(new Set(['LEDGER_UNAVAILABLE']));
  expect(seen.length).toBe(20);
  expect(await codes(20)).toEqual(new Set(['LEDGER_UNAVAILABLE']));
  expect(seen.length).toBe(23);
  const probes = codes(3);
  const submission = waiting.submit('84').then(({ kind }) => kind);
  expect(await Promise.race([submission, probes])).toBe('unknown');
  await probes;

  answers = () => ({ status: 404, body: '{}' });
  expect((await codes(3)).has('answered')).toBe(true);
  expect(await codes(20)).toEqual(new Set(['answered']));
});

test('a resource that is not on chain is null, not an error', async () => {
  answers = () => error(404);
  expect(await ledger().utxos('addr_test1')).toEqual([]);
  expect(await ledger().transaction(hash)).toBeNull();
  expect(await ledger().nextBlocks(hash)).toBeNull();
});

test('slots are converted to time from the tip of the chain', async () => {
  answers = ({ url }) =>
    url?.endsWith('/genesis')
      ? json({ network_magic: 1, slot_length: 1, system_start: 1_600_000_000 })
      : json({ hash, height: 7, slot: 99, time: 1_700_000_000, previous_block: null, tx_count: 0, confirmations: 0 });
  expect(await ledger().slotAnchor()).toEqual({ slot: 99, time: 1_700_000_000_000, slotLengthMs: 1_000 });
});

test('collateral and reference inputs do not count as spent', async () => {
  const input = { address: 'a', tx_hash: hash, output_index: 0, amount: [{ unit: 'lovelace', quantity: '5' }] };
  answers = () =>
    json({ hash, inputs: [input, { ...input, collateral: true }, { ...input, reference: true }], outputs: [] });
  expect((await ledger().transactionUtxos(hash))?.inputs).toEqual([
    { txHash: hash, index: 0, address: 'a', lovelace: 5n, assets: new Map() },
  ]);
});

test.each<[string, Answer]>([
  ['a limit', error(429)],
  ['a failure', error(500)],
  ['a response of another shape', json({})],
  ['no JSON', { status: 200, body: '<html>' }],
  ['a broken connection', 'hang up'],
  ['silence', 'silence'],
])('%s counts as an unavailable ledger', async (_what, answer) => {
  answers = () => answer;
  await expect(ledger(300).latestBlock()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(seen).toHaveLength(1);
});

test.each<[string, Answer, string]>([
  ['a JSON hash', json(hash), 'accepted'],
  ['a bare hash', { status: 200, body: hash }, 'accepted'],
  ['"already in the mempool"', { status: 409, body: '' }, 'accepted'],
  ['a refusal', error(400), 'refused'],
  ['a refusal without a reason', { status: 400, body: '' }, 'refused'],
  ['a full mempool', error(425), 'unknown'],
  ['a limit', error(429), 'unknown'],
  ['a failure', error(500), 'unknown'],
  ['a proxy’s page', { status: 200, body: '<html>' }, 'unknown'],
  ['a broken connection', 'hang up', 'unknown'],
  ['silence', 'silence', 'unknown'],
])('a submission that gets %s is sent once and classified', async (_what, answer, kind) => {
  answers = () => answer;
  expect(await ledger(300).submit('84a0')).toMatchObject({ kind });
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers['content-type']).toBe('application/cbor');
});

test('what a node writes about a refusal goes to the log, and only the names of its rules are passed on', async () => {
  const text = 'TxSubmitFail (ConwayUtxowFailure (UtxoFailure (FeeTooSmallUTxO (Coin 1)))) TreeSet(secret)';
  answers = () => json({ message: text }, 400);
  const logged: unknown[] = [];
  const client = createLedger({ baseUrl, timeoutMs: 5_000, onNotAccepted: (answer) => logged.push(answer) });
  expect(await client.submit('84a0')).toEqual({ kind: 'refused', rules: ['FeeTooSmallUTxO'] });
  expect(logged).toEqual([{ status: 400, text }]);
});

test('nothing follows a redirection, which could lead to an address that is not encrypted', async () => {
  answers = ({ url }) =>
    url?.endsWith('/elsewhere') ? json([]) : { status: 307, body: '{}', location: `${baseUrl}elsewhere` };
  await expect(ledger().utxos('addr_test1')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await ledger()
    .submit('84')
    .catch(() => undefined);
  const prices = createPriceSource({ feedUrl: baseUrl });
  await expect(prices.priceOf({ policyId: 'aa', assetName: '' })).rejects.toMatchObject({ code: 'PRICE_UNAVAILABLE' });
  expect(seen.map(({ url }) => url)).not.toContain('/api/v0/elsewhere');
  expect(seen.length).toBeGreaterThan(2);
});
