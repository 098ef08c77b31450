import { expect, test } from '@jest/globals';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { BookOutput, VaultBooks } from './rules/books.ts';
import { compareVault } from './rules/compare.ts';
import { refText } from '../transactions/rules.ts';
import { instant, secondsAfter } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import { readLedger } from './reconciliation.ts';

const now = instant(1_000_000_000);
const settlesBy = secondsAfter(now, -600);
const [made, taking] = ['aa'.repeat(32), 'bb'.repeat(32)] as const;
const [policyId, ftUnit, villa] = ['0a'.repeat(28), '0b'.repeat(28), '0c'.repeat(28)] as const;
const addresses = ['stake', 'deposit', 'custody'] as const;
type Place = (typeof addresses)[number];

const outputAt = (address: Place, index: number, assets: Utxo['assets'] = new Map()): Utxo => {
  return { txHash: made, index, address, lovelace: lovelace(5_000_000n), assets };
};
const outputs = [
  outputAt('stake', 0, new Map([[ftUnit, 7n]])),
  outputAt('deposit', 1, new Map([[villa, 1n]])),
  outputAt('custody', 2),
];

/** They know of no other transaction than the one that has made these outputs. */
const books: VaultBooks = {
  vault: {
    ...{ id: 'vault', status: 'DRAFT', failedBecause: null, policyId, ftUnit, ftSupply: 7n, countedAssets: 1 },
    settlesBy,
  },
  block: { height: 9, hash: 'block 9', time: now },
  outputs: outputs.map((utxo): BookOutput => {
    const place = utxo.address as Place;
    return { ...utxo, ref: refText(utxo), place, isUnsolicited: false, isSpent: false, spender: null };
  }),
  transactions: [{ hash: made, kind: 'invest', state: 'final', blockHeight: 1, expiresAt: now, rows: 1 }],
  assets: [{ id: 'asset', unit: villa, quantity: 1n, status: 'LOCKED', isStaked: false }],
  investments: [{ id: 'investment', status: 'CONFIRMED', output: { txHash: made, index: 1 }, amount: 5_000_000n }],
  stakes: [{ id: 'stake', status: 'ACTIVE', output: { txHash: made, index: 0 }, amount: 7n }],
  claims: [],
  tokens: { planned: null, circulating: 7n, outside: 0n, paidOtherwise: [], potLovelace: null },
  leasesLeft: [],
};

/** What differs when a transaction of this age has taken what is at some places, and has sent some of it to custody. */
async function codesAfter(from: Place | readonly Place[], ageSeconds: number, known = books) {
  const isTaken = ({ address }: Utxo) => [from].flat().includes(address as Place);
  const inputs = outputs.filter(isTaken);
  const sent: Utxo = { ...outputAt('custody', 0), txHash: taking };
  const unspent = [...outputs.filter((utxo) => !isTaken(utxo)), sent];
  const ledger: Partial<Ledger> = {
    utxos: (address) => Promise.resolve(unspent.filter((utxo) => utxo.address === address)),
    async *addressTransactions() {
      yield await Promise.resolve({ txHash: taking, blockHeight: 8 });
      yield { txHash: made, blockHeight: 1 };
    },
    transactionUtxos: (hash) => Promise.resolve({ hash, inputs, outputs: [] }),
    block: (height) => Promise.resolve({ hash: `block ${height}`, time: secondsAfter(now, -ageSeconds) } as never),
    assetSupply: () => Promise.resolve(7n),
  };
  const view = await readLedger(ledger as Ledger, known, addresses);
  return view && compareVault(known, view).map(({ code }) => code);
}

test.each([
  ['a stake', 'stake', 3599, []],
  ['a stake, an hour ago', 'stake', 3600, ['TRANSACTION_UNKNOWN', 'STAKE_DIFFERS']],
  ['a deposit', 'deposit', 600, []],
  [
    'a deposit, before its owner alone could',
    'deposit',
    601,
    ['TRANSACTION_UNKNOWN', 'ASSET_QUANTITY_DIFFERS', 'INVESTMENT_DIFFERS'],
  ],
  ['what is in custody', 'custody', 0, ['TRANSACTION_UNKNOWN']],
] as const)('what differs once somebody has taken %s', async (_, place, ageSeconds, codes) => {
  expect(await codesAfter(place, ageSeconds)).toEqual(codes);
});

/** As `books` once a scan has found that the transaction took the stake, and nothing else of it. */
const halfFound: VaultBooks = {
  ...books,
  outputs: books.outputs.map((output) =>
    output.place === 'stake' ? { ...output, isSpent: true, spender: taking } : output,
  ),
  stakes: [],
};

test.each([
  ['and a deposit', ['stake', 'deposit'], 600, []],
  [
    'an hour ago, and a deposit',
    ['stake', 'deposit'],
    3600,
    ['OUTPUT_MISSING', 'OUTPUT_UNLISTED', 'ASSET_QUANTITY_DIFFERS', 'INVESTMENT_DIFFERS'],
  ],
  ['and what is in custody', ['stake', 'custody'], 600, ['OUTPUT_MISSING', 'OUTPUT_UNLISTED']],
] as const)('what differs once a scan has found that somebody has taken a stake, %s', async (_, from, age, codes) => {
  const settled = { ...halfFound, vault: { ...halfFound.vault, settlesBy: secondsAfter(now, -7200) } };
  expect(await codesAfter(from, age, settled)).toEqual(codes);
});
