import { expect, test } from '@jest/globals';
import { context, depositOf, longUnit, ttlSlot, vault, verdict, wallet } from '../../../test/chain/sample-context.ts';
import { sumHoldings } from './values.ts';
import { type BuiltDepositReturn, buildDepositReturn, type Deposit, deliveryDeposits } from './deposits.ts';
import { signedSize } from './draft.ts';

const asset = deliveryDeposits(context.parameters).asset;
const largest = 10n ** 18n;

function returnAll(deposits: readonly Deposit[]): BuiltDepositReturn[] {
  const batches: BuiltDepositReturn[] = [];
  for (let rest = deposits; rest.length > 0; rest = rest.slice(batches.at(-1)!.taken)) {
    batches.push(buildDepositReturn(context, { deposits: rest, signers: [vault.key.keyHash], ttlSlot }));
  }
  return batches;
}

test('a removed asset returns in full, with its delivery deposit minus the fee', () => {
  const owner = wallet(1);
  const built = buildDepositReturn(context, {
    deposits: [depositOf(owner, asset, [[longUnit(1), largest]])],
    signers: [vault.key.keyHash],
    ttlSlot,
  });
  const { transaction, payments, taken } = built;
  expect(taken).toBe(1);
  expect(transaction.outputs).toEqual([
    { index: 0, address: owner.address, lovelace: asset - transaction.fee, assets: new Map([[longUnit(1), largest]]) },
  ]);
  expect(payments[0]).toMatchObject({ feeShare: transaction.fee, lovelaceReturned: asset - transaction.fee });
  expect(verdict(transaction, [vault.key])).toBe('accepted');
  expect(verdict(transaction, [owner.key])).toBe('ScriptWitnessNotValidatingUTXOW');
});

test.each([
  ['forty deposits of forty owners', (number: number) => wallet(number)],
  ['forty deposits of two owners', (number: number) => wallet(number % 2)],
])('%s return in batches that the ledger accepts, and each owner gets all of theirs', (_name, ownerOf) => {
  const deposits = Array.from({ length: 40 }, (_, number) =>
    depositOf(ownerOf(number), asset, [[longUnit(number), largest]]),
  );
  const batches = returnAll(deposits);

  for (const { transaction, taken, payments } of batches) {
    expect(signedSize(transaction)).toBeLessThanOrEqual(16_384);
    expect(payments).toHaveLength(taken);
    expect(payments.reduce((sum, { feeShare }) => sum + feeShare, 0n)).toBe(transaction.fee);
    expect(verdict(transaction, [vault.key])).toBe('accepted');
  }
  const paid = sumHoldings(batches.flatMap(({ transaction }) => transaction.outputs));
  const fees = batches.reduce((sum, { transaction }) => sum + transaction.fee, 0n);
  const given = sumHoldings(deposits.map(({ utxo }) => utxo));
  expect(paid.lovelace + fees).toBe(given.lovelace);
  expect(paid.assets).toEqual(given.assets);
});

test('a batch contains as many deposits as fit in one transaction', () => {
  const deposits = Array.from({ length: 120 }, (_, number) => depositOf(wallet(number), 7_000_000n));
  const { taken, transaction } = buildDepositReturn(context, { deposits, signers: [vault.key.keyHash], ttlSlot });
  expect(taken).toBeLessThan(120);
  const perDeposit = Math.ceil(signedSize(transaction) / taken);
  expect(signedSize(transaction) + perDeposit).toBeGreaterThan(16_384);
});
