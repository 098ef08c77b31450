import { expect, test } from '@jest/globals';
import {
  context,
  longUnit,
  payer,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
  type Wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import { outputUtxo, type Utxo } from '../transaction.ts';
import { buildClaim } from './termination.ts';
import { minAda } from './draft.ts';

const holder = wallet(1);
const ft = longUnit(1);
const vaultKeyHash = vault.key.keyHash;
const script = claimsScript({ vaultKeyHash });
const address = scriptAddress(script, 0);
const both = [vault.key, holder.key];
/** What an output with tokens must hold at least. */
const float = minAda(context.parameters, { address, lovelace: lovelace(0n), assets: new Map([[ft, 10n ** 18n]]) });

const potOf = (...amounts: readonly bigint[]) => amounts.map((amount) => utxo(address, amount + float));
const tokens = (amount: bigint, coin = 3_000_000n, owner = holder) => utxo(owner.address, coin, [[ft, amount]]);

interface Terms {
  readonly amount: bigint;
  readonly payout: bigint;
  readonly by?: Wallet;
}

const claim = (free: readonly Utxo[], { amount, payout, by = holder }: Terms, ...utxos: readonly Utxo[]) =>
  buildClaim(context, {
    holder: payer(by, ...utxos),
    pot: { script, address, vaultKeyHash, free },
    ftUnit: ft,
    amount,
    payout: lovelace(payout),
    ttlSlot,
  });

test('tokens go into the pot and the payout to their holder, who pays the fee', () => {
  const built = claim(potOf(50_000_000n), { amount: 40n, payout: 20_000_000n }, tokens(100n));
  expect(built.outputs).toEqual([
    { index: 0, address, lovelace: 30_000_000n + float, assets: new Map([[ft, 40n]]) },
    { index: 1, address: holder.address, lovelace: 23_000_000n - built.fee, assets: new Map([[ft, 60n]]) },
  ]);
  expect(built.requiredSigners).toEqual([holder.key.keyHash, vaultKeyHash]);
  expect(verdict(built, both)).toBe('accepted');
});

test('neither the holder nor the platform can claim alone', () => {
  const built = claim(potOf(50_000_000n), { amount: 40n, payout: 20_000_000n }, tokens(100n));
  expect(verdict(built, [vault.key])).toBe('MissingVKeyWitnessesUTXOW');
  expect(verdict(built, [holder.key])).toBe('ScriptWitnessNotValidatingUTXOW');
});

test('the last tokens drain the pot to the last lovelace, and what is left is what the operator lent', () => {
  const pot = [utxo(address, 7_000_001n + float, [[ft, 10n ** 17n]])];
  const built = claim(pot, { amount: 9n * 10n ** 17n, payout: 7_000_001n }, tokens(9n * 10n ** 17n));
  expect(built.outputs).toEqual([
    { index: 0, address, lovelace: float, assets: new Map([[ft, 10n ** 18n]]) },
    { index: 1, address: holder.address, lovelace: 10_000_001n - built.fee, assets: new Map() },
  ]);
  expect(verdict(built, both)).toBe('accepted');
});

test('a payout of many outputs spends the largest, names the script once and leaves one output', () => {
  const pot = potOf(...Array.from({ length: 40 }, (_, index) => BigInt(index) * 1_000_000n));
  const built = claim(pot, { amount: 5n, payout: 700_000_000n }, tokens(5n));
  const spent = built.inputs.filter((input) => input.address === address);
  expect(spent).toEqual(pot.slice(-spent.length).toReversed());
  expect(spent).toHaveLength(25);
  const held = spent.reduce((sum, { lovelace: coin }) => sum + coin, 0n);
  expect(built.outputs[0]).toEqual({ index: 0, address, lovelace: held - 700_000_000n, assets: new Map([[ft, 5n]]) });
  expect(built.outputs).toHaveLength(2);
  expect(verdict(built, both)).toBe('accepted');
});

test('an output that suffices alone is spent alone, in the order in which they are given', () => {
  const [small, first, second] = potOf(1_000_000n, 30_000_000n, 60_000_000n);
  if (!small || !first || !second) throw new Error('the pot has three outputs');
  const terms = { amount: 5n, payout: 30_000_000n };
  const spentOf = (...free: readonly Utxo[]) =>
    claim(free, terms, tokens(5n)).inputs.filter((input) => input.address === address);
  expect(spentOf(small, first, second)).toEqual([first]);
  expect(spentOf(small, second, first)).toEqual([second]);
});

test('a payout that would leave less than the min-ADA waits for other outputs', () => {
  const [output] = potOf(10_000_000n);
  if (!output) throw new Error('the pot has an output');
  const terms = { amount: 10n ** 18n, payout: 10_000_001n };
  expect(() => claim([output], terms, tokens(10n ** 18n))).toThrow(expect.objectContaining({ code: 'POT_IN_USE' }));
  expect(() => claim([], terms, tokens(10n ** 18n))).toThrow(expect.objectContaining({ code: 'POT_IN_USE' }));
  expect(verdict(claim([output, ...potOf(1n)], terms, tokens(10n ** 18n)), both)).toBe('accepted');
});

test('a payout of one lovelace is paid, if the wallet has the fee', () => {
  const built = claim(potOf(1_000_000n), { amount: 1n, payout: 1n }, tokens(1n));
  expect(built.outputs[1]).toMatchObject({ lovelace: 3_000_001n - built.fee });
  expect(verdict(built, both)).toBe('accepted');
});

test('the payout pays the fee of a wallet that has nothing but tokens with their min-ADA', () => {
  const built = claim(potOf(5_000_000n), { amount: 3n, payout: 2_000_000n }, tokens(5n, 1_180_940n));
  expect(verdict(built, both)).toBe('accepted');
  const poor = () => claim(potOf(5_000_000n), { amount: 3n, payout: 1n }, tokens(5n, 1_180_940n));
  expect(poor).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
});

test('a wallet cannot return more tokens than it has', () => {
  const built = () => claim(potOf(5_000_000n), { amount: 6n, payout: 1_000_000n }, tokens(5n));
  expect(built).toThrow(expect.objectContaining({ code: 'ASSET_NOT_IN_WALLET' }));
});

test('tokens at several addresses return with the signature of each key, and the payout goes to the named one', () => {
  const other = wallet(2);
  const ownerOf = ({ address: at }: Utxo) => [holder, other].find((one) => one.address === at);
  const keyOf = (spent: Utxo) => ownerOf(spent)?.key.keyHash ?? 'an output of somebody else';
  const built = buildClaim(context, {
    holder: { ...payer(holder, tokens(3n), tokens(4n, 3_000_000n, other)), keyOf },
    pot: { script, address, vaultKeyHash, free: potOf(50_000_000n) },
    ftUnit: ft,
    amount: 7n,
    payout: lovelace(7_000_000n),
    ttlSlot,
  });
  expect(built.outputs[1]).toMatchObject({ address: holder.address, lovelace: 13_000_000n - built.fee });
  expect(built.requiredSigners.toSorted()).toEqual([holder, other, vault].map(({ key }) => key.keyHash).toSorted());
  expect(verdict(built, both)).toBe('MissingVKeyWitnessesUTXOW');
  expect(verdict(built, [...both, other.key])).toBe('accepted');
});

test('claims follow each other out of the same output until it is empty', () => {
  let [output] = potOf(10_000_000n);
  for (const payout of [3_333_333n, 3_333_333n, 3_333_334n]) {
    if (!output) throw new Error('the pot has an output');
    const built = claim([output], { amount: 5n, payout }, tokens(5n));
    expect(verdict(built, both)).toBe('accepted');
    output = outputUtxo(built, 0);
  }
  expect(output).toMatchObject({ lovelace: float, assets: new Map([[ft, 15n]]) });
});
