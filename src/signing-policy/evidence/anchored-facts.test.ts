import { expect, test } from '@jest/globals';
import { context, keys, ttlSlot, utxo } from '../../../test/chain/sample-context.ts';
import { buildAnchor } from '../../cardano/build/anchor.ts';
import { blake2b256 } from '../../cardano/blake2b.ts';
import { leafOf, merkleTree } from '../../anchoring/rules/merkle.ts';
import { isUnderRoot } from './anchored-facts.ts';

const facts = ['{"a":1}', '{"b":2}', '{"c":3}'];
const tree = merkleTree(
  blake2b256,
  facts.map((fact) => leafOf(blake2b256, fact)),
);
const anchored = (root: string) =>
  buildAnchor(context, {
    operator: keys.operator,
    inputs: [utxo(keys.operator.address, 9_000_000n)],
    root,
    count: 3,
    ttlSlot,
  });
const { hash, cbor: bytes } = anchored(tree.root);

test('a fact is under the root that the bytes of its anchor say, by its path', () => {
  for (const [index, fact] of facts.entries())
    expect(isUnderRoot({ fact, path: tree.pathOf(index) }, { hash, bytes })).toBe(true);
});

test('a fact that was changed, has another path, or whose anchor has another root or other bytes is not', () => {
  const [fact = ''] = facts;
  const path = tree.pathOf(0);
  expect(isUnderRoot({ fact: '{"a":2}', path }, { hash, bytes })).toBe(false);
  expect(isUnderRoot({ fact, path: tree.pathOf(1) }, { hash, bytes })).toBe(false);
  expect(isUnderRoot({ fact, path }, { hash: 'ab'.repeat(32), bytes })).toBe(false);
  const other = anchored('cd'.repeat(32));
  expect(isUnderRoot({ fact, path }, { hash: other.hash, bytes: other.cbor })).toBe(false);
});
