import { expect, test } from '@jest/globals';
import { depositAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import type { Ledger } from '../../src/cardano/ledger/ledger.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';
import { instant } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { detectReclaims } from '../../src/settlement/reclaims.ts';
import type { DepositRow } from '../../src/assets/queries/deposits.ts';
import { readStoredUtxo, storedUtxo } from '../../src/platform/database/stored-json.ts';
import type { Vault } from '../../src/vaults/queries/vaults.ts';
import { context as chain, deadlineSlot, vault as rehearsed, wallet } from './sample-context.ts';

const T = instant(1_000_000);
const vault = { settlementKeyHash: rehearsed.key.keyHash, settlesBySlot: deadlineSlot, settlesBy: T } as Vault;
const spender = 'ff'.repeat(32);

/** The output that holds the deposit of a wallet. */
function outputOf(owner: number, index: number): Utxo {
  const { key } = wallet(owner);
  const address = depositAddressOf(vault, key.keyHash, chain.networkId).address;
  const txHash = (owner * 1000 + index).toString(16).padStart(64, '0');
  return { txHash, index: 0, address, lovelace: lovelace(5_000_000n), assets: new Map() };
}

function depositOfWallet(owner: number, index: number): DepositRow {
  return {
    deposit_id: `${owner}-${index}`,
    deposit_kind: 'investment',
    owner: wallet(owner).address,
    outputs: [storedUtxo(outputOf(owner, index))],
    deposit_index: 0,
    invested: '5000000',
  };
}

const outputsOf = (deposits: readonly DepositRow[]) => deposits.flatMap(({ outputs }) => outputs.map(readStoredUtxo));

/** A ledger on which the deposits are all spent but those that are given; counts its calls. */
function ledgerWith(unspent: readonly Utxo[], all: readonly Utxo[], height = 100) {
  const calls = { utxos: 0, others: 0 };
  const ledger: Partial<Ledger> = {
    utxos: (address) => {
      calls.utxos++;
      return Promise.resolve(unspent.filter((utxo) => utxo.address === address));
    },
    transaction: () => Promise.resolve({ hash: spender } as never),
    async *addressTransactions() {
      calls.others++;
      yield await Promise.resolve({ txHash: spender, blockHeight: 1 });
    },
    transactionUtxos: () => Promise.resolve({ inputs: all, outputs: [] } as never),
    latestBlock: () => Promise.resolve({ height } as never),
  };
  const noRow = { executeTakeFirst: () => Promise.resolve(undefined) };
  const query: object = new Proxy(noRow, {
    get: (rows, name) => (name in rows ? noRow.executeTakeFirst : () => query),
  });
  return {
    calls,
    context: { ledger: ledger as Ledger, db: query as never, networkId: 0, confirmationDepth: 15 } as const,
  };
}

test('however many owners have reclaimed, a search ends after ten of them, so that what it found can be kept', async () => {
  const deposits = Array.from({ length: 30 }, (_, index) => depositOfWallet(index, 0));
  const outputs = outputsOf(deposits);
  const { context, calls } = ledgerWith([], outputs);
  const result = await detectReclaims(context, vault, [deposits], { now: T, limit: 80, seen: { height: 100 } });
  expect(result.present).toEqual([]);
  expect(result.reclaims.map(({ depositId, transactionHash }) => [depositId, transactionHash])).toEqual(
    deposits.slice(0, 10).map(({ deposit_id: id }) => [id, spender]),
  );
  expect(calls).toEqual({ utxos: 30, others: 10 });
});

test('the address of an owner is read once for all of their deposits', async () => {
  const deposits = Array.from({ length: 20 }, (_, index) => depositOfWallet(1, index));
  const outputs = outputsOf(deposits);
  const { context, calls } = ledgerWith(outputs, outputs);
  const { present, reclaims } = await detectReclaims(context, vault, [deposits], {
    now: T,
    limit: 80,
    seen: { height: 100 },
  });
  expect({ present: present.length, reclaims, calls }).toEqual({
    present: 20,
    reclaims: [],
    calls: { utxos: 1, others: 0 },
  });
});

const pagesOf = (deposits: readonly DepositRow[]) => [deposits.slice(0, 20), deposits.slice(20)];

test('a reclaim in a block that the follower has not recorded yet is not certain', async () => {
  const deposits = [depositOfWallet(1, 0)];
  const outputs = outputsOf(deposits);
  const { context } = ledgerWith([], outputs);
  for (const seen of [{ height: 0 }, null])
    expect(await detectReclaims(context, vault, [deposits], { now: T, limit: 80, seen })).toMatchObject({
      reclaims: [],
      uncertain: [{ stored: { depositId: '1-0' } }],
    });
});

test.each([1, 30])('%i reclaims that are not final yet keep no other deposit waiting', async (reclaimed) => {
  const gone = Array.from({ length: reclaimed }, (_, index) => depositOfWallet(index, 0));
  const left = [depositOfWallet(40, 0), depositOfWallet(41, 0)];
  const { context, calls } = ledgerWith(outputsOf(left), outputsOf([...gone, ...left]), 1);
  const result = await detectReclaims(context, vault, pagesOf([...gone, ...left]), {
    now: T,
    limit: 20,
    seen: { height: 100 },
  });
  expect(result.present.map(({ depositId }) => depositId)).toEqual(left.map(({ deposit_id: id }) => id));
  expect([result.reclaims.length, result.uncertain.length]).toEqual([0, reclaimed]);
  expect(calls.others).toBe(Math.min(reclaimed, 10));
});

test('deposits whose rows cannot be read, or are wrong, keep no other waiting', async () => {
  const [misplaced, first, second] = [depositOfWallet(1, 0), depositOfWallet(2, 0), depositOfWallet(3, 0)];
  const unreadable = { ...depositOfWallet(4, 0), deposit_id: 'bad', invested: 'none' };
  const outputs = outputsOf([misplaced, first, second]);
  const { context } = ledgerWith(outputs, outputs);
  const pages = [[unreadable, { ...misplaced, owner: first.owner }, first], [second]];
  const result = await detectReclaims(context, vault, pages, { now: T, limit: 80, seen: { height: 100 } });
  expect(result.present.map(({ depositId }) => depositId)).toEqual(['2-0', '3-0']);
  expect(result.uncertain.map(({ stored, error }) => [stored.depositId, String(error)])).toEqual([
    ['bad', expect.stringContaining('row bad of investments cannot be read')],
    ['1-0', expect.stringContaining('is not the deposit of')],
  ]);
});
