import { expect, test } from '@jest/globals';
import { keyAddress, scriptAddress } from './address.ts';
import type { VaultGuards } from './own-guards.ts';
import { vaultAddresses, vaultGuardOf } from './vault-addresses.ts';
import { claimsScript, custodyScript, depositScript, liquidityScript, settlementScript } from './vault-scripts.ts';
import { instant } from '../../platform/units/time.ts';

const [first, second, owner] = ['11', '22', '33'].map((pair) => pair.repeat(28)) as [string, string, string];
const cosigners = { required: 1, keyHashes: ['44'.repeat(28)], alone: { from: instant(0), fromSlot: 900_000_000 } };
const depositor = keyAddress(owner, 0);
const custodyOf = (vaultKeyHash: string, registered: typeof cosigners | null) => {
  const contractAddress = scriptAddress(custodyScript({ vaultKeyHash, cosigners: registered }), 0);
  return { vaultKeyHash, cosigners: registered, contractAddress };
};
const before = custodyOf(first, cosigners);
const fixed = {
  settlementKeyHash: first,
  settlesBySlot: 7,
  settlementAddress: scriptAddress(settlementScript({ vaultKeyHash: first }), 0),
};
const rotated: VaultGuards = { ...custodyOf(second, null), ...fixed, formerCustodies: [before] };
const users = { depositors: [], stakeAddresses: [] };

test('after a rotation the addresses of before are addresses of the vault, too', () => {
  const found = vaultAddresses(rotated, users, 0);
  const guarded = [liquidityScript, claimsScript].map((of) => scriptAddress(of({ vaultKeyHash: first }), 0));
  const former = [before.contractAddress, ...guarded];
  expect(found).toHaveLength(7);
  expect(found.slice(-3).map(({ address }) => address)).toEqual(former);
  expect(found.slice(-3).map(({ kind }) => kind)).toEqual(['custody', 'liquidity', 'claims']);
});

test('a rotation that keeps the key adds no address but that of the custody', () => {
  const changed: VaultGuards = { ...custodyOf(first, null), ...fixed, formerCustodies: [before] };
  const kinds = vaultAddresses(changed, users, 0).map(({ kind }) => kind);
  expect(kinds).toEqual(['custody', 'liquidity', 'claims', 'settlement', 'custody']);
});

test('each address is spent from by the key, and the cosigners, that it had when it was made', () => {
  const at = (kind: 'custody' | 'liquidity' | 'settlement' | 'stake', address: string) => {
    const guard = vaultGuardOf(rotated, { kind, address, depositor: null }, 0);
    return guard && [guard.keyHash, guard.cosigners];
  };
  expect(at('custody', rotated.contractAddress)).toEqual([second, null]);
  expect(at('custody', before.contractAddress)).toEqual([first, cosigners]);
  expect(at('liquidity', scriptAddress(liquidityScript({ vaultKeyHash: first }), 0))).toEqual([first, null]);
  expect(at('settlement', fixed.settlementAddress)).toEqual([first, null]);
  expect(at('stake', rotated.contractAddress)).toBeNull();
});

test('deposits keep the script that they were made to', () => {
  const script = depositScript({ vaultKeyHash: first, ownerKeyHash: owner, deadlineSlot: 7 });
  const deposit = vaultAddresses(rotated, { ...users, depositors: [depositor] }, 0).at(-1);
  expect(deposit?.address).toBe(scriptAddress(script, 0));
  expect(deposit && vaultGuardOf(rotated, deposit, 0)).toEqual({ script, keyHash: first, cosigners: null });
});
