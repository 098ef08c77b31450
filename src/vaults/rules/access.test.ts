import { describe, expect, test } from '@jest/globals';
import { mayContribute, mayInvest, mayRead, type Reader, acceptsPolicy, type VaultAccess } from './access.ts';
import { builtInVaultTypes, type VaultType } from '../../types/rules.ts';

const vault = (type: VaultType, listed: boolean): VaultAccess => ({
  typeRules: builtInVaultTypes[type],
  createdBy: 'admin',
  contributorWhitelist: listed ? ['contributor'] : [],
  investorWhitelist: listed ? ['investor'] : [],
  investorListEnabled: type !== 'PUBLIC',
});

const all = ['admin', 'contributor', 'investor', 'stranger'];

describe.each([
  { type: 'PUBLIC', listed: false, contribute: all, invest: all },
  { type: 'PUBLIC', listed: true, contribute: all, invest: all },
  { type: 'PRIVATE', listed: false, contribute: ['admin'], invest: ['admin'] },
  { type: 'PRIVATE', listed: true, contribute: ['admin', 'contributor'], invest: ['admin', 'investor'] },
  { type: 'SEMI_PRIVATE', listed: false, contribute: all, invest: all },
  { type: 'SEMI_PRIVATE', listed: true, contribute: ['contributor'], invest: ['investor'] },
] as const)('$type, lists filled: $listed', ({ type, listed, contribute, invest }) => {
  test(`contributors are ${contribute.join(', ')}`, () => {
    expect(all.filter((wallet) => mayContribute(vault(type, listed), wallet))).toEqual(contribute);
  });

  test(`investors are ${invest.join(', ')}`, () => {
    expect(all.filter((wallet) => mayInvest(vault(type, listed), wallet))).toEqual(invest);
  });
});

test('an investor list applies exactly while it is enabled, and a private vault stays hidden without it', () => {
  const invest = (type: VaultType, investorListEnabled: boolean) =>
    all.filter((wallet) => mayInvest({ ...vault(type, true), investorListEnabled }, wallet));
  expect(invest('PUBLIC', true)).toEqual(['investor']);
  expect(invest('SEMI_PRIVATE', false)).toEqual(all);
  expect(invest('PRIVATE', false)).toEqual(all);
  const unlisted = { ...vault('PRIVATE', true), investorListEnabled: false };
  expect(mayRead(unlisted, wallet('stranger'))).toBe(false);
  expect(mayRead(unlisted, wallet('investor'))).toBe(true);
});

const wallet = (name: string, hasDeposit = false): Reader => ({ kind: 'wallet', wallet: name, hasDeposit });

describe('a private vault', () => {
  test.each([
    { reader: { kind: 'admin_key' } as const, shown: true },
    { reader: { kind: 'other_key' } as const, shown: false },
    { reader: wallet('admin'), shown: true },
    { reader: wallet('contributor'), shown: true },
    { reader: wallet('investor'), shown: true },
    { reader: wallet('stranger'), shown: false },
    { reader: wallet('stranger', true), shown: true },
  ])('is visible to $reader: $shown', ({ reader, shown }) => {
    expect(mayRead(vault('PRIVATE', true), reader)).toBe(shown);
  });
});

test('public and semi-private vaults are visible to everyone', () => {
  const readers: Reader[] = [{ kind: 'other_key' }, wallet('stranger')];
  for (const type of ['PUBLIC', 'SEMI_PRIVATE'] as const) {
    expect(readers.every((reader) => mayRead(vault(type, true), reader))).toBe(true);
  }
});

test('an empty asset whitelist accepts any policy; otherwise only listed policies, in upper or lower case', () => {
  expect(acceptsPolicy({ assetWhitelist: [] }, 'ab')).toBe(true);
  expect(acceptsPolicy({ assetWhitelist: ['ab'] }, 'AB')).toBe(true);
  expect(acceptsPolicy({ assetWhitelist: ['ab'] }, 'cd')).toBe(false);
});

test('a registered type may treat contributors and investors by different rules', () => {
  const typeRules = { ...builtInVaultTypes.PUBLIC, contributors: 'listed' } as const;
  const club = { ...vault('PUBLIC', true), typeRules };
  expect(all.filter((name) => mayContribute(club, name))).toEqual(['admin', 'contributor']);
  expect(all.filter((name) => mayContribute({ ...club, contributorWhitelist: [] }, name))).toEqual(['admin']);
  expect(all.filter((name) => mayInvest(club, name))).toEqual(all);
  expect(mayRead(club, wallet('stranger'))).toBe(true);
});
