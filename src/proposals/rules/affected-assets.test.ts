import { describe, expect, test } from '@jest/globals';
import { affectedAssetIds, findConflictingProposal, requireFreeAssets, type VaultAsset } from './affected-assets.ts';
import { proposalEffectFields, resolveEffect } from './effects.ts';

const asset = (id: string, status: VaultAsset['status'] = 'LOCKED'): VaultAsset => ({
  id,
  policyId: 'ab'.repeat(28),
  assetNameHex: `0${id}`,
  status,
});
const named = (id: string) => ({ policyId: 'AB'.repeat(28), assetNameHex: `0${id}` });

describe('the affected assets of a proposal', () => {
  test('are assets the vault holds, each listed once', () => {
    const held = [asset('1'), asset('2'), asset('3')];
    expect(affectedAssetIds([named('3'), named('1'), named('3')], held, 'assets')).toEqual(['3', '1']);
  });

  test('are refused if the vault never held them, no longer holds them, or does not hold them yet', () => {
    const held = [asset('1'), asset('2', 'RELEASED'), asset('3', 'PENDING')];
    const errors = ['assets.1', 'assets.2', 'assets.3'].map((field) => expect.objectContaining({ field }));
    expect(() => affectedAssetIds([named('1'), named('2'), named('3'), named('4')], held, 'assets')).toThrow(
      expect.objectContaining({ code: 'ASSET_NOT_IN_VAULT', details: { errors } }),
    );
  });

  test('include every asset of a name, or only those at the address the proposal takes them from', () => {
    const more = { ...asset('1'), id: 'more', stakingAddress: null };
    const away = { ...asset('1'), id: 'away', stakingAddress: 'pool' };
    expect(affectedAssetIds([named('1')], [asset('1'), away], 'assets')).toEqual(['1', 'away']);
    expect(affectedAssetIds([named('1')], [more, away], 'assets')).toEqual(['more']);
    expect(affectedAssetIds([named('1')], [more, away], 'assets', 'pool')).toEqual(['away']);
    expect(affectedAssetIds([named('1')], [more, away], 'assets', 'elsewhere')).toEqual(['more', 'away']);
  });

  test('include the current record of an asset that left and came back', () => {
    const back = { ...asset('1'), id: 'again' };
    expect(affectedAssetIds([named('1')], [asset('1', 'RELEASED'), back], 'assets')).toEqual(['again']);
  });
});

test('the assets that a liquidation hands over are ones the vault holds, each for one wallet', () => {
  const resolve = (...remainingAssets: (ReturnType<typeof named> & { address: string })[]) =>
    resolveEffect({ type: 'LIQUIDATE', assets: [], terms: { remainingAssets } }, [asset('1')], proposalEffectFields);
  const [one, other] = [
    { ...named('1'), address: 'one' },
    { ...named('1'), address: 'other' },
  ];
  const absent = { ...named('2'), address: 'one' };
  const at = (position: number) => `proposal_details.terms.remaining_assets.${position}`;
  const refused = (code: string, ...positions: number[]) =>
    expect.objectContaining({
      details: { errors: positions.map((n) => expect.objectContaining({ code, field: at(n) })) },
    });

  expect(resolve(one, one).terms).toMatchObject({ remainingAssets: '1 one' });
  expect(() => resolve(one, other)).toThrow(refused('INVALID_REQUEST', 1));
  expect(() => resolve(absent, one, absent)).toThrow(refused('ASSET_NOT_IN_VAULT', 0, 2));
});

test('an asset cannot be in two proposals that have passed their vote', () => {
  const holder = { id: 'p', assetIds: ['a', 'b'] };
  expect(findConflictingProposal(['x', 'b'], [holder])).toBe(holder);
  expect(() => {
    requireFreeAssets(['b'], [holder], 'proposal_details.affected_assets');
  }).toThrow(expect.objectContaining({ code: 'ASSET_IN_ANOTHER_PROPOSAL' }));
  expect(() => {
    requireFreeAssets(['c'], [holder], 'proposal_details.affected_assets');
  }).not.toThrow();
});
