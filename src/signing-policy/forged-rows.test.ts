import { describe, expect, test } from '@jest/globals';
import { context, keys, longUnit, utxo, wallet } from '../../test/chain/sample-context.ts';
import * as governance from '../../test/signing-policy/governance-samples.ts';
import * as samples from '../../test/signing-policy/samples.ts';
import { refusal } from '../../test/signing-policy/refusal.ts';
import * as settlement from '../../test/signing-policy/settlement-samples.ts';
import type { Sample } from '../../test/signing-policy/samples.ts';
import { lovelace } from '../platform/units/money.ts';
import type { TransactionKind } from '../transactions/rules.ts';
import { type DecodedTransaction, decodeTransaction } from './decoder.ts';
import { ruleRegister } from './register.ts';

const { refund } = samples;
const table: readonly (readonly [kind: TransactionKind, name: string, sample: Sample])[] = [
  ['create_vault', 'the creation of a vault', samples.creation],
  ['add_asset', "an asset of the operator's", samples.addAsset],
  ['remove_asset', 'the removal of an asset', refund],
  ['remove_investment', 'the removal of an investment', refund],
  ['invest', "an investment of the operator's, which is never signed", samples.invest],
  ['stake', "a stake of the operator's, which is never signed", samples.stake],
  ['unstake', 'the return of a stake', samples.unstake],
  ['mint', 'the mint', settlement.mint],
  ['deliver', 'a delivery', settlement.deliver],
  ['liquidity', 'the liquidity share', settlement.liquidity],
  ['refund', 'a refund', refund],
  ['fan_out', 'a fan-out', samples.fanOut],
  ['anchor', 'an anchor', samples.anchor],
  ['execute', 'a sale', governance.sale],
  ['execute', 'a purchase', governance.purchase],
  ['execute', 'staking', governance.stakingOut],
  ['execute', 'the return of what was staked', governance.stakingBack],
  ['execute', 'a decision to liquidate', governance.decision],
  ['return_unsolicited', 'the return of a gift', samples.unsolicited],
  ['gather_pot', 'the gathering of the pot', governance.gathering],
  ['hand_over', 'a hand-over', governance.handOver],
  ['pay_remainder', 'the remainder', governance.remainder],
  ['close_vault', 'the closing of a vault', governance.closing],
  ['claim', 'a claim', governance.claim],
  ['move_custody', 'what a rotation moves', samples.move],
  ['move_kept', 'what a rotation keeps', samples.move],
];

const thief = wallet(66).address;
const MILLION = 1_500_000n;
/** More than the float of a settlement may exceed what it needs. */
const EXCESS = 4_000_000n;
const operatorAddress = keys.operator.address;

test('every kind of transaction has a sample', () => {
  expect([...new Set(table.map(([kind]) => kind))].sort()).toEqual(Object.keys(ruleRegister).sort());
});

test('a vault is created once, by an NFT that names it and terms to which it commits', () => {
  const request = (evidence: Partial<typeof samples.creation.evidence>) =>
    refusal('create_vault', samples.creation, { evidence });
  expect(request({ vaultId: 'vault-2' })).toMatch(/another vault/);
  expect(request({ earlierCreation: 'ab'.repeat(32) })).toMatch(/has created this vault/);
  expect(request({ terms: 'ab'.repeat(32) })).toMatch(/commits to other terms/);
});

describe.each(table)('%s: %s', (kind, _name, sample) => {
  const honest = decodeTransaction(sample.built.cbor);
  /** In a claim or an execution, what wallets pay themselves is theirs: they sign it. */
  const ofWallets = kind === 'claim' || kind === 'execute' ? signers(sample) : new Set<string>();
  const outputs = honest.outputs
    .map((output, index) => [index, output.address] as const)
    .filter(([, address]) => !ofWallets.has(address));
  const changed = (change: Partial<DecodedTransaction>) => ({ transaction: { ...honest, ...change } });
  const replacing = (index: number, change: Partial<DecodedTransaction['outputs'][number]>) =>
    changed({ outputs: honest.outputs.map((output, at) => (at === index ? { ...output, ...change } : output)) });
  test('is decoded as it was built, and evaluated', () => {
    const { built } = sample;
    expect(honest).toMatchObject({ hash: built.hash, fee: built.fee, ttlSlot: built.ttlSlot });
    expect(honest.inputs).toEqual(built.inputs.map(({ txHash, index }) => ({ txHash, index })));
    expect(honest.outputs.map(({ address, lovelace: coin, assets }) => ({ address, lovelace: coin, assets }))).toEqual(
      built.outputs.map(({ index: _, ...output }) => output),
    );
    const isSigned = ruleRegister[kind].keys.length > 0;
    expect(refusal(kind, sample)).toEqual(isSigned ? null : 'its kind is not signed by operator');
  });

  test.each(outputs)('is not signed when output %i pays a thief instead of %s', (index) => {
    expect(refusal(kind, sample, replacing(index, { address: thief }))).toEqual(expect.any(String));
  });

  test.each(outputs)('is not signed when output %i is shaved for a thief', (index) => {
    const from = honest.outputs[index];
    if (!from) throw new Error('it has no such output');
    const rest = { ...from, lovelace: lovelace(from.lovelace - MILLION / 2n) };
    const taken = { ...from, address: thief, lovelace: lovelace(MILLION / 2n), assets: new Map(), datum: null };
    const forged = changed({ outputs: [...honest.outputs.with(index, rest), taken] });
    expect(refusal(kind, sample, forged)).toEqual(expect.any(String));
  });

  test.each([
    ['custody', samples.vault.custody],
    ['settlement', samples.vault.settlement],
    ['liquidity', samples.vault.liquidity],
    ['claims', samples.vault.claims],
    ['the operator', keys.operator.address],
    ["another owner's deposit", depositOf(77)],
  ])('is not signed with an additional input of %s that pays a thief', (_place, address) => {
    const added = utxo(address, 50_000_000n, [[longUnit(9), 1n]]);
    const { txHash, index } = added;
    const stolen = { ...added, address: thief, datum: null, hasReferenceScript: false, bytes: 120 };
    const forged = changed({ inputs: [...honest.inputs, { txHash, index }], outputs: [...honest.outputs, stolen] });
    expect(refusal(kind, sample, { ...forged, spent: [...sample.built.inputs, added] })).toMatch(
      /^it (pays|divides|spends an output at)|nothing is owed|assets|^its kind/,
    );
  });

  test('is not signed when another output of the operator pays into any that is not its own', () => {
    const paying = utxo(operatorAddress, EXCESS);
    const inputs = [...honest.inputs, { txHash: paying.txHash, index: paying.index }];
    const paid = outputs.flatMap(([index, address]) => {
      if (address === operatorAddress) return [];
      const to = (output: (typeof honest.outputs)[number], at: number) =>
        at === index ? { ...output, lovelace: lovelace(output.lovelace + EXCESS) } : output;
      const transaction = { ...honest, inputs, outputs: honest.outputs.map(to) };
      return [refusal(kind, sample, { transaction, spent: [...sample.built.inputs, paying] })];
    });
    expect(paid).not.toContain(null);
  });

  test('is not signed when it mints another token', () => {
    const [unit, quantity] = [`${samples.ft.slice(0, 56)}ff`, 5n] as const;
    const minted = { address: thief, lovelace: lovelace(0n), assets: new Map([[unit, quantity]]), datum: null };
    const forged = changed({
      mint: new Map([...honest.mint, [unit, quantity]]),
      outputs: [...honest.outputs, { ...minted, hasReferenceScript: false, bytes: 120 }],
    });
    expect(refusal(kind, sample, forged)).toMatch(/^it (mints|pays)|^its kind/);
  });

  test.each([
    ['is valid for ever', { ttlSlot: null }],
    ['is valid for too long', { ttlSlot: 9_000_000 }],
  ])('is not signed when it %s', (_why, change) => {
    expect(refusal(kind, sample, changed(change))).toMatch(/^it would be valid for too long|^its kind/);
  });

  test('is not signed when its fee is more than twice of what the ledger asks for its size', () => {
    const [first, ...rest] = honest.outputs.toSorted((a, b) => (a.lovelace < b.lovelace ? 1 : -1));
    if (!first) throw new Error('it pays nobody');
    const { keys: asked, signedBy = [] } = sample;
    const signatures = 101n * BigInt(Math.max(honest.requiredSigners.length, asked.length + signedBy.length));
    const { minFeeA, minFeeB } = context.parameters;
    const most = 2n * (minFeeA * (BigInt(sample.built.cbor.length / 2) + signatures) + minFeeB);
    // About twice of what honest ones pay, who pay for the same bytes.
    expect(most - honest.fee).toBeLessThan(honest.fee + MILLION / 100n);
    const paying = (fee: bigint) => {
      const less = { ...first, lovelace: lovelace(first.lovelace - fee + honest.fee) };
      return refusal(kind, sample, changed({ fee, outputs: [less, ...rest] }));
    };
    expect(paying(most + 1n)).toMatch(/which is enough for its size/);
    expect(String(paying(most))).not.toMatch(/which is enough for its size/);
  });

  test('is not signed under another hash, with unknown inputs, or with other keys than its kind has', () => {
    expect(refusal(kind, sample, { signing: { hash: '00'.repeat(32) } })).toMatch(/another hash/);
    expect(refusal(kind, sample, { spent: sample.built.inputs.slice(1) })).toMatch(/nothing is known/);
    const { keys: allowed } = ruleRegister[kind];
    const others = (['operator', 'vault', 'policy'] as const).filter((key) => !allowed.includes(key));
    for (const key of others) expect(refusal(kind, sample, { signing: { asked: [key] } })).toMatch(/not signed by/);
  });

  test('is not signed when an input holds something else than its row says', () => {
    const [first, ...rest] = sample.built.inputs;
    if (!first) throw new Error('it spends nothing');
    const richer = { ...first, lovelace: lovelace(first.lovelace + MILLION) };
    expect(refusal(kind, sample, { spent: [richer, ...rest] })).toMatch(/hold something else/);
  });
});

function depositOf(number: number): string {
  return samples.depositAddress(wallet(number).key.keyHash);
}

/** The addresses whose wallets have signed a sample. */
function signers({ signedBy = [] }: Sample): ReadonlySet<string> {
  const wallets = [samples.owner, samples.other, governance.cosigner];
  return new Set(wallets.filter(({ key }) => signedBy.includes(key.keyHash)).map(({ address }) => address));
}
