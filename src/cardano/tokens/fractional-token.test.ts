import { expect, test } from '@jest/globals';
import { tokenNameHex } from './fractional-token.ts';
import { vaultNftNameHex } from './vault-nft.ts';

const textOf = (hex: string) => Buffer.from(hex, 'hex').toString();

test('the names of a vault’s tokens on the ledger end between the characters that readers see', () => {
  const family = '👨‍👩‍👧‍👦';
  expect(textOf(tokenNameHex(`Boat ${family}`))).toBe('Boat ');
  expect(textOf(vaultNftNameHex(`Boat House ${family}`))).toBe('Boat House ');
  expect(textOf(vaultNftNameHex(`Boat ${family}`))).toBe(`Boat ${family}`);
});

test('a name whose first character is too long for the ledger is replaced by the ticker', () => {
  expect(textOf(tokenNameHex(`a${'\u0323'.repeat(20)}b`))).toBe('AB');
});
