import { describe, expect, test } from '@jest/globals';
import { context, depositOf, ttlSlot, wallet } from '../../test/chain/sample-context.ts';
import { refusal } from '../../test/signing-policy/refusal.ts';
import { other, owner, unsolicited, vault, vaultKeyHash } from '../../test/signing-policy/samples.ts';
import { mint } from '../../test/signing-policy/settlement-samples.ts';
import { buildDepositReturn, type Deposit } from '../cardano/build/deposits.ts';
import { keyAddress } from '../cardano/scripts/address.ts';
import { ownerAddresses } from './addresses.ts';

/** The owner's key without their stake key, as a thief would join it to one of theirs. */
const elsewhere = keyAddress(owner.key.keyHash, 0);
const thief = wallet(66).address;

/** Why a refund of deposits is not signed, when each is returned to the given address and its own transaction has paid others. */
function refusalOf(...returned: readonly { deposit: Deposit; to: string; paid: readonly string[] }[]) {
  const { transaction: built } = buildDepositReturn(context, {
    deposits: returned.map(({ deposit, to }) => ({ ...deposit, owner: to })),
    signers: [vaultKeyHash],
    ttlSlot,
  });
  const paidBy = new Map(returned.map(({ deposit, paid }) => [deposit.utxo.txHash, [deposit.utxo.address, ...paid]]));
  return refusal('refund', { built, evidence: { vault }, keys: ['vault'] }, { signing: { paidBy } });
}

describe('a deposit returns', () => {
  const first = depositOf(owner, 52_000_000n);
  const second = depositOf(owner, 9_000_000n);

  test('to the address of its owner that its change went to, and to no other of the same key', () => {
    const paid = [owner.address];
    expect(refusalOf({ deposit: first, to: owner.address, paid })).toBeNull();
    expect(refusalOf({ deposit: first, to: elsewhere, paid })).toMatch(/return to their address/);
  });

  test('to any address of its key where there was no change', () => {
    for (const paid of [[], [thief]]) expect(refusalOf({ deposit: first, to: elsewhere, paid })).toBeNull();
  });

  test('beside one of the same owner from another address, each to its own', () => {
    const [one, another] = [
      { deposit: first, to: owner.address, paid: [owner.address] },
      { deposit: second, to: elsewhere, paid: [elsewhere] },
    ];
    expect(refusalOf(one, another)).toBeNull();
    expect(refusalOf({ ...one, to: elsewhere }, another)).toMatch(/return to their address/);
  });

  test('to its owner, also beside what a thief has sent there with change to another address of the same key', () => {
    const gift = { deposit: second, to: elsewhere, paid: [elsewhere] };
    expect(refusalOf({ deposit: first, to: elsewhere, paid: [owner.address] }, gift)).toMatch(
      /return to their address/,
    );
    const assets = { deposit: depositOf(owner, 9_000_000n, [['ab'.repeat(30), 5n]]), paid: [owner.address] };
    expect(refusalOf({ ...assets, to: elsewhere }, { ...gift, to: owner.address })).toMatch(/return to their address/);
  });
});

test('what lies at the deposit address of an owner returns as a deposit does, when its row says that it is a gift', () => {
  const deposit = unsolicited.built.inputs.find(({ address }) => address !== vault.custody);
  if (!deposit) throw new Error('the sample returns nothing from a deposit address');
  const refusalWith = (...paid: string[]) =>
    refusal('return_unsolicited', unsolicited, { signing: { paidBy: new Map([[deposit.txHash, paid]]) } });
  expect(refusalWith(thief)).toBeNull();
  expect(refusalWith(other.address, thief)).toBeNull();
  expect(refusalWith(keyAddress(other.key.keyHash, 0))).toMatch(/the change of/);
});

test('no plan is minted that names another address of an owner than the change of their deposit went to', () => {
  const paying = (change: (address: string) => string[]) =>
    new Map([...mint.evidence.held].map(([ref, held]) => [ref, { ...held, paid: held.paid.flatMap(change) }]));
  const elsewhereOf = (address: string) =>
    [owner, other].filter((one) => one.address === address).map(({ key }) => keyAddress(key.keyHash, 0));
  expect(refusal('mint', mint)).toBeNull();
  expect(refusal('mint', mint, { evidence: { held: paying(() => []) } })).toBeNull();
  expect(refusal('mint', mint, { evidence: { held: paying(elsewhereOf) } })).toMatch(/the change of/);
});

test('an address that says nothing about an owner is not shown', () => {
  expect(ownerAddresses([vault.custody, thief, elsewhere], owner.key.keyHash)).toEqual([elsewhere]);
  expect(ownerAddresses([elsewhere], undefined)).toEqual([]);
  expect(ownerAddresses(undefined, owner.key.keyHash)).toEqual([]);
});
