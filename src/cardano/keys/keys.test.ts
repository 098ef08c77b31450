import { expect, test } from '@jest/globals';
import { keys } from '../../../test/chain/sample-context.ts';
import { deriveKeys } from './keys.ts';

test('the operator key is derived from the mnemonic as every wallet does (CIP-19 test vector)', () => {
  expect(keys.operator.address).toBe('addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz');
  expect(deriveKeys('test walk nut penalty hip pave soap entry language right filter choice', 1).operator.address).toBe(
    'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8',
  );
});

test('every vault has its own keys, the same after every restart', () => {
  const again = deriveKeys('test walk nut penalty hip pave soap entry language right filter choice', 0);
  const hashes = [0, 1, 2].flatMap((index) => [keys.vaultKey(index).keyHash, keys.policyKey(index).keyHash]);
  expect(new Set([...hashes, keys.operator.keyHash]).size).toBe(7);
  expect([0, 1, 2].flatMap((index) => [again.vaultKey(index).keyHash, again.policyKey(index).keyHash])).toEqual(hashes);
});

test('a seal is that of its text, its root and its network, the same after every restart', () => {
  const mnemonic = 'test walk nut penalty hip pave soap entry language right filter choice';
  expect(keys.seal('a')).toBe(deriveKeys(mnemonic, 0).seal('a'));
  const other = deriveKeys('legal winner thank year wave sausage worth useful legal winner thank yellow', 0);
  const seals = [keys.seal('a'), keys.seal('b'), deriveKeys(mnemonic, 1).seal('a'), other.seal('a')];
  expect(new Set(seals).size).toBe(4);
});

test('a mnemonic with a wrong word is refused', () => {
  expect(() => deriveKeys('test walk nut penalty hip pave soap entry language right filter filter', 0)).toThrow();
});
