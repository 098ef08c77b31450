import { expect, test } from '@jest/globals';
import { fakeLedger } from '../../../test/chain/fake-ledger.ts';
import { isUnspent, findSpendingTransaction } from './history.ts';

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

/** What the ledger says that has spent an output of a transaction. */
type Named = (height: number) => string | null;

function transaction(height: number, what: string | undefined, named: Named) {
  if (height < 1 || height > 1000) return null;
  const inputs = [{ address, tx_hash: hash(height - 1), output_index: 0, amount }];
  const outputs = [{ address, output_index: 0, amount, consumed_by_tx: named(height) }];
  const made = { hash: hash(height), block_height: height };
  return what === 'utxos' ? { ...made, inputs, outputs } : { ...found, ...made };
}

/** An address with one transaction in each of 1,000 blocks, each spending what the one before has made. */
function busyAddress(named: Named = () => null) {
  return fakeLedger((path, query) => {
    const [, kind, id = '', what] = path.split('/');
    if (kind === 'blocks') return { ...tip, height: 1000 };
    if (kind === 'txs') return transaction(Number.parseInt(id, 16), what, named);
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

test('a long history is read a part at a time, and a ledger that names the spender is believed once that is checked', async () => {
  const { ledger, asked } = busyAddress();
  const deps = { ledger, confirmationDepth: 3 };
  const statuses: string[] = [];
  const reads: number[] = [];
  for (let kind = ''; kind !== 'spent' && statuses.length < 20;) {
    const before = asked.length;
    kind = (await findSpendingTransaction(deps, output(200))).kind;
    statuses.push(kind);
    reads.push(asked.slice(before).filter((path) => path.endsWith('/utxos')).length - 1);
  }
  // 800 transactions are newer than the one that made the output; the last of them has spent it.
  expect({ statuses, reads }).toEqual({
    statuses: ['unfinished', 'unfinished', 'unfinished', 'spent'],
    reads: [200, 200, 200, 200],
  });

  const naming = busyAddress((height) => hash(height + 1));
  const expected = { kind: 'spent', spender: hash(201), blockHeight: 201, isFinal: true };
  expect(await findSpendingTransaction({ ledger: naming.ledger, confirmationDepth: 3 }, output(200))).toEqual(expected);
  expect([naming.asked.length, pagesOf(naming.asked)]).toEqual([4, 0]);

  const lying = busyAddress(() => hash(900));
  const search = { ledger: lying.ledger, confirmationDepth: 3, budget: { left: 1000 } };
  expect(await findSpendingTransaction(search, output(200))).toEqual(expected);
  expect(search.budget.left).toBe(200);
});

test('several searches share a budget, and an unfinished one continues below the block where it was', async () => {
  const { ledger } = busyAddress();
  const budget = { left: 150 };
  const deps = { ledger, confirmationDepth: 3, budget };
  expect(await findSpendingTransaction(deps, output(899))).toMatchObject({ spender: hash(900) });
  expect(budget.left).toBe(49);
  expect(await findSpendingTransaction(deps, output(940))).toEqual({ kind: 'unfinished' });
  expect(await findSpendingTransaction({ ...deps, budget: { left: 20 } }, output(940))).toMatchObject({
    spender: hash(941),
  });
});
