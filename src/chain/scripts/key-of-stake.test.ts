import { expect, test } from '@jest/globals';
import { parseWalletAddress } from './address.ts';
import { stakeAddressOf } from './script-addresses.ts';
import { keyOfStake } from './key-of-stake.ts';

const wallet =
  'addr_test1qz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs68faae';
const [first, second, present] = ['a', 'b', 'c'].map((digit) => digit.repeat(56)) as [string, string, string];
const formerCustodies = [first, second].map((vaultKeyHash) => ({
  vaultKeyHash,
  cosigners: null,
  contractAddress: vaultKeyHash,
}));
const vault = { vaultKeyHash: present, formerCustodies };
const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(wallet, 0);
const releaseSlot = 1_000;

test.each([first, second, present])('a stake whose row names no key has the one whose script it is at: %s', (key) => {
  const { address: scriptAddress } = stakeAddressOf({ vaultKeyHash: key }, { ownerKeyHash, releaseSlot }, 0);
  const stake = { vaultKeyHash: null, wallet, releaseSlot, scriptAddress };
  expect(keyOfStake(stake, vault, 0)).toBe(key);
  expect(keyOfStake({ ...stake, vaultKeyHash: second }, vault, 0)).toBe(second);
});
