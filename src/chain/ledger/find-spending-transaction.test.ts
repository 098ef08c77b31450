import { expect, test } from '@jest/globals';
import { fakeLedger } from '../../../test/chain/fake-ledger.ts';
import { isUnspent, findSpendingTransaction } from './find-spending-transaction.ts';

const address = 'addr_test1';
const hash = (height: number) => height.toString(16).padStart(64, '0');
const output = (height: number) => ({ txHash: hash(height), index: 0, address });
const amount = [{ unit: 'lovelace', quantity: '5' }];
const found = { block: 'b', block_time: 0, slot: 0, fees: '0' };
const tip = { hash: 'b', slot: 1, time: 0, previous_block: null, tx_count: 0, confirmations: 0 };

/** A page of the history of the busy address. */
function page(query: URLSearchParams) {
  const first = query.get('order') === 'desc' ? 1000 - 100 * (Number(query.get('page')) - 1) : NaN;
  const heights = Array.from({ length: first > 0 ? 100 : 0 }, (_, position) => first - position);
  return heights.map((height) => ({ tx_hash: hash(height), tx_index: 0, block_height: height, block_time: 0 }));
}

function transaction(height: number, what: string | undefined) {
  if (height < 1 || height > 1000) return null;
  const inputs = [{ address, tx_hash: hash(height - 1), output_index: 0, amount }];
  const made = { hash: hash(height), block_height: height };
  return what === 'utxos' ? { ...made, inputs, outputs: [] } : { ...found, ...made };
}

/** An address with one transaction in each of 1,000 blocks, each spending what the one before has made. */
function busyAddress() {
  return fakeLedger((path, query) => {
    const [, kind, id = '', what] = path.split('/');
    if (kind === 'blocks') return { ...tip, height: 1000 };
    if (kind === 'txs') return transaction(Number.parseInt(id, 16), what);
    return what === 'utxos' ? [{ address, tx_hash: hash(1000), output_index: 0, amount }] : page(query);
  });
}

const pagesOf = (asked: readonly string[]) => asked.filter((path) => path.endsWith('/transactions')).length;

test('the spender of a recent output is found on the newest page of a long address history', async () => {
  const { ledger, asked } = busyAddress();
  const deps = { ledger, confirmationDepth: 3 };
  expect(await findSpendingTransaction(deps, output(999))).toEqual({
    kind: 'spent',
    spender: hash(1000),
    blockHeight: 1000,
    isFinal: false,
  });
  expect(await findSpendingTransaction(deps, output(997))).toEqual({
    kind: 'spent',
    spender: hash(998),
    blockHeight: 998,
    isFinal: true,
  });
  expect(pagesOf(asked)).toBe(2);
});

test('the search stops at the transaction that created the output, and does not start if that is not on the ledger', async () => {
  const { ledger, asked } = busyAddress();
  const deps = { ledger, confirmationDepth: 3 };
  expect(await isUnspent(deps, output(1000))).toBe(true);
  expect(await findSpendingTransaction(deps, { ...output(999), index: 1 })).toEqual({ kind: 'absent' });
  expect(pagesOf(asked)).toBe(1);
  expect(await isUnspent(deps, output(1001))).toBe(false);
  expect(await findSpendingTransaction(deps, output(1001))).toEqual({ kind: 'absent' });
  expect(pagesOf(asked)).toBe(1);
});
