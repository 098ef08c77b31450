import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf, hexOf } from '../../platform/units/ids.ts';
import { type Hash, leafOf, merkleTree, type PathStep, verifyInclusion } from './merkle.ts';

const sha256: Hash = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest());
const rootOf = (leaves: readonly string[]) => merkleTree(sha256, leaves).root;
const leavesOf = (facts: readonly string[]) => facts.map((fact) => leafOf(sha256, fact));
const flipped = (hex: string, at: number) => {
  const bytes = bytesOf(hex)!;
  bytes[at % bytes.length]! ^= 1;
  return hexOf(bytes);
};

test('leaves and roots match Certificate Transparency, which uses the same tree shape', () => {
  // RFC 6962 test vectors (google/certificate-transparency, merkletree tests), their inputs read as bytes.
  const inputs = ['', '00', '10', '2021', '3031', '40414243'];
  const facts = inputs.map((hex) => new TextDecoder().decode(bytesOf(hex)));
  const roots = [1, 2, 3, 4, 5, 6].map((count) => rootOf(leavesOf(facts.slice(0, count))));
  expect(roots).toEqual([
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  ]);
});

const anyFacts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 70 });
const chosen = fc.nat();

test('every fact verifies with a proof of at most log2(n) steps', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { root, pathOf } = merkleTree(sha256, leavesOf(facts));
      facts.forEach((fact, index) => {
        const path = pathOf(index);
        expect(verifyInclusion(sha256, { fact, path, root })).toBe(true);
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(facts.length)));
      });
    }),
  );
});

test('a changed fact, root, hash or side never verifies', () => {
  fc.assert(
    fc.property(anyFacts, chosen, chosen, chosen, (facts, which, at, bit) => {
      const index = which % facts.length;
      const { root, pathOf } = merkleTree(sha256, leavesOf(facts));
      const proof = { fact: facts[index]!, path: pathOf(index), root };
      expect(verifyInclusion(sha256, { ...proof, fact: `${proof.fact}.` })).toBe(false);
      expect(verifyInclusion(sha256, { ...proof, root: flipped(root, bit) })).toBe(false);
      if (proof.path.length === 0) return;
      const step = at % proof.path.length;
      const changed = (change: (old: PathStep) => PathStep) =>
        proof.path.map((old, i) => (i === step ? change(old) : old));
      const forged = changed((old) => ({ ...old, hash: flipped(old.hash, bit) }));
      expect(verifyInclusion(sha256, { ...proof, path: forged })).toBe(false);
      expect(verifyInclusion(sha256, { ...proof, path: proof.path.slice(1) })).toBe(false);
      expect(verifyInclusion(sha256, { ...proof, path: [...proof.path, proof.path[0]!] })).toBe(false);
      // Swapping the sides of a step gives the same node only if both sides are equal.
      const turned = changed((old) => ({ ...old, side: old.side === 'left' ? 'right' : 'left' }));
      expect(verifyInclusion(sha256, { ...proof, path: turned })).toBe(
        new Set(facts).size < facts.length && sameSides(proof, step),
      );
    }),
  );
});

function sameSides({ fact, path }: { fact: string; path: readonly PathStep[] }, step: number): boolean {
  const below = path.slice(0, step);
  return verifyInclusion(sha256, { fact, path: below, root: path[step]!.hash });
}

test('the order of the facts decides the root', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 20 }), (facts) => {
      expect(rootOf(leavesOf(facts.toReversed()))).not.toBe(rootOf(leavesOf(facts)));
    }),
  );
});

test('repeating the last leaf changes the root', () => {
  fc.assert(
    fc.property(anyFacts, fc.integer({ min: 1, max: 40 }), (facts, count) => {
      const leaves = leavesOf(facts);
      expect(rootOf([...leaves, ...leaves.slice(-count)])).not.toBe(rootOf(leaves));
    }),
  );
});

test('an inner node does not verify as a fact', () => {
  const leaves = leavesOf(['a', 'b', 'c', 'd']);
  const whole = merkleTree(sha256, leaves);
  const inner = merkleTree(sha256, leaves.slice(0, 2)).root;
  // Whoever took a hash for a leaf would be fooled by this shorter path; a proof begins at the fact's text.
  expect(verifyInclusion(sha256, { fact: inner, path: whole.pathOf(0).slice(1), root: whole.root })).toBe(false);
  expect(rootOf([inner, merkleTree(sha256, leaves.slice(2)).root])).toBe(whole.root);
});

test('the last leaf without a sibling has a shorter path; a missing leaf has none', () => {
  const leaves = leavesOf(['a', 'b', 'c']);
  const { pathOf } = merkleTree(sha256, leaves);
  expect(pathOf(2)).toEqual([{ side: 'left', hash: rootOf(leaves.slice(0, 2)) }]);
  expect(() => pathOf(3)).toThrow(RangeError);
  expect(() => merkleTree(sha256, [])).toThrow(RangeError);
  expect(() => merkleTree(sha256, ['xy'])).toThrow(RangeError);
});

test('a step of the wrong length never verifies, even with a matching root', () => {
  const leaf = bytesOf(leafOf(sha256, 'a'))!;
  const root = hexOf(sha256(Uint8Array.of(1, 0xab, ...leaf)));
  expect(verifyInclusion(sha256, { fact: 'a', path: [{ side: 'left', hash: 'ab' }], root })).toBe(false);
});

test('a malformed proof never verifies', () => {
  const { root, pathOf } = merkleTree(sha256, leavesOf(['a', 'b']));
  const proof = { fact: 'a', path: pathOf(0), root };
  expect(verifyInclusion(sha256, { ...proof, root: 'zz' })).toBe(false);
  expect(verifyInclusion(sha256, { ...proof, path: [{ side: 'left', hash: 'zz' }] })).toBe(false);
  expect(verifyInclusion(sha256, { ...proof, path: [{ side: 'left', hash: 'ab' }] })).toBe(false);
  expect(verifyInclusion(sha256, { ...proof, root: root.toUpperCase() })).toBe(true);
});
