import { Transaction } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import { context, keys, operator, ttlSlot, verdict } from '../../../test/chain/sample-context.ts';
import { leafOf, merkleTree } from '../../anchoring/rules/merkle.ts';
import { blake2b256 } from '../blake2b.ts';
import { anchorLabel, buildAnchor } from './anchor.ts';
import { signedSize } from './draft.ts';
import { outputUtxo, type Utxo } from '../transaction.ts';

const { root } = merkleTree(
  blake2b256,
  ['a', 'b', 'c'].map((fact) => leafOf(blake2b256, fact)),
);
const anchor = (inputs: readonly Utxo[], count = 3) =>
  buildAnchor(context, { operator: keys.operator, inputs, root, count, ttlSlot });
const anchorChainOf = (...amounts: readonly bigint[]) => operator(...amounts).utxos;

test('an anchor publishes its root and count on the ledger and costs the operator only a fee', () => {
  const [change] = anchorChainOf(10_000_000n);
  const built = anchor([change!], 100_000);
  const said = Transaction.from_hex(built.cbor).auxiliary_data()?.metadata()?.to_json() ?? '{}';
  const { [anchorLabel]: text } = JSON.parse(said) as Record<number, string>;
  const map = [
    { k: { string: 'v' }, v: { int: 1 } },
    { k: { string: 'root' }, v: { string: root } },
    { k: { string: 'count' }, v: { int: 100_000 } },
  ];
  expect(JSON.parse(text ?? '')).toEqual({ map });
  expect(built.outputs).toEqual([
    { index: 0, address: keys.operator.address, lovelace: 10_000_000n - built.fee, assets: new Map() },
  ]);
  expect(signedSize(built)).toBeLessThan(400);
  expect(verdict(built, [keys.operator])).toBe('accepted');
});

test('each anchor spends the change of the previous one, until the anchor chain is empty and is refilled', () => {
  let change = anchorChainOf(2_000_000n)[0]!;
  const spent: bigint[] = [];
  for (; change.lovelace >= 1_100_000n; change = outputUtxo(anchor([change]), 0)) {
    const built = anchor([change]);
    expect(verdict(built, [keys.operator])).toBe('accepted');
    spent.push(built.fee);
  }
  expect(spent.reduce((sum, fee) => sum + fee, change.lovelace)).toBe(2_000_000n);
  expect(spent.length).toBeGreaterThan(3);
  expect(() => anchor(anchorChainOf(1_000_000n))).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
  const filled = anchor([change, ...anchorChainOf(5_000_000n)]);
  expect(filled.outputs).toHaveLength(1);
  expect(verdict(filled, [keys.operator])).toBe('accepted');
});

test('an anchor chain that took a large output keeps a hundred ADA of it and gives the rest back', () => {
  const [rich] = anchorChainOf(1_000_000_000_000n);
  const built = anchor([rich!]);
  expect(built.outputs).toMatchObject([
    { index: 0, address: keys.operator.address, lovelace: 100_000_000n },
    { index: 1, address: keys.operator.address, lovelace: 1_000_000_000_000n - 100_000_000n - built.fee },
  ]);
  expect(verdict(built, [keys.operator])).toBe('accepted');
  expect(anchor([outputUtxo(built, 0)]).outputs).toHaveLength(1);
});

test('leaves and nodes are hashed as inclusion proofs describe', () => {
  // blake2b-256 of the empty text, and of "abc" (the blake2 reference implementation).
  const hex = (text: string) => Buffer.from(blake2b256(Buffer.from(text))).toString('hex');
  expect(hex('')).toBe('0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8');
  expect(hex('abc')).toBe('bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319');
});
