import { expect, test } from '@jest/globals';
import {
  context,
  keys,
  longUnit,
  openSlot,
  payer,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { scriptAddress } from '../scripts/address.ts';
import { buildStake, stakeDeposit, buildUnstake } from './staking.ts';
import { stakeScript } from '../scripts/vault-scripts.ts';
import { outputUtxo, type Utxo } from '../transaction.ts';

const owner = wallet(1);
const ft = longUnit(1);
const vaultKeyHash = vault.key.keyHash;
const ownerKeyHash = owner.key.keyHash;
const script = stakeScript({ vaultKeyHash, ownerKeyHash, releaseSlot: openSlot + 31_536_000 });
const stakeAddress = scriptAddress(script, 0);
const returnDeposit = stakeDeposit(context.parameters);

const stake = (amount: bigint, ...utxos: readonly Utxo[]) =>
  buildStake(context, { owner: payer(owner, ...utxos), stakeAddress, ftUnit: ft, amount, returnDeposit, ttlSlot });
const unstake = (staked: Utxo) =>
  buildUnstake(context, { stake: { utxo: staked, script }, owner: owner.address, ownerKeyHash, vaultKeyHash, ttlSlot });

test('staked tokens go to the stake script of their owner, who alone can send them there, and the rest returns to the wallet', () => {
  const built = stake(40n, utxo(owner.address, 6_000_000n, [[ft, 100n]]));
  expect(built.outputs).toEqual([
    { index: 0, address: stakeAddress, lovelace: returnDeposit, assets: new Map([[ft, 40n]]) },
    {
      index: 1,
      address: owner.address,
      lovelace: 6_000_000n - returnDeposit - built.fee,
      assets: new Map([[ft, 60n]]),
    },
  ]);
  expect(built.requiredSigners).toEqual([ownerKeyHash]);
  expect(verdict(built, [owner.key])).toBe('accepted');
  for (const other of [keys.operator, vault.key]) expect(verdict(built, [other])).toBe('MissingVKeyWitnessesUTXOW');
});

test('a wallet without these tokens cannot stake them', () => {
  expect(() => stake(101n, utxo(owner.address, 6_000_000n, [[ft, 100n]]))).toThrow(
    expect.objectContaining({ code: 'ASSET_NOT_IN_WALLET' }),
  );
});

test('any staked amount returns in full, and the wallet adds no lovelace', () => {
  const amount = 10n ** 18n;
  const staked = outputUtxo(stake(amount, utxo(owner.address, 6_000_000n, [[ft, amount]])), 0);
  const built = unstake(staked);
  expect(built.outputs).toEqual([
    { index: 0, address: owner.address, lovelace: returnDeposit - built.fee, assets: new Map([[ft, amount]]) },
  ]);
  expect(verdict(built, [vault.key, owner.key])).toBe('accepted');
});

test('neither the owner nor the platform can return staked tokens alone', () => {
  const built = unstake(utxo(stakeAddress, returnDeposit, [[ft, 5n]]));
  expect(built.requiredSigners).toEqual([vaultKeyHash, ownerKeyHash]);
  expect(verdict(built, [vault.key])).toBe('MissingVKeyWitnessesUTXOW');
  expect(verdict(built, [owner.key])).toBe('MissingVKeyWitnessesUTXOW');
});
