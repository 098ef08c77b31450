import { expect, test } from '@jest/globals';
import { type Caller, type Permission, permissionsOf } from '../../access/rules.ts';
import type { VaultAccess } from './access.ts';
import { allowedVaultActions, vaultActions, type VaultActionSnapshot, type VaultActor } from './allowed-actions.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { builtInVaultTypes } from '../../types/rules.ts';

const open: VaultActionSnapshot = {
  status: 'ACTIVE',
  terminationReason: null,
  claimsOpen: false,
  assetWindow: { kind: 'asset', status: 'ACTIVE', startsAt: instant(1_000), endsAt: instant(2_000) },
  investmentWindow: { kind: 'investment', status: 'PENDING', startsAt: instant(1_500), endsAt: instant(3_000) },
  countedAssets: 0,
  maxAssets: 2,
  settlementStarted: false,
  rotationId: null,
  claimable: null,
};

const early = 'ASSET_WINDOW_NOT_OPEN';
const late = 'ASSET_WINDOW_CLOSED';
const earlyAda = 'INVESTMENT_WINDOW_NOT_OPEN';
const lateAda = 'INVESTMENT_WINDOW_CLOSED';
const ended = 'VAULT_ALREADY_ENDED';
const full = 'MAX_ASSETS_REACHED';
const unsettled = 'VAULT_NOT_LOCKED';
const inUse = 'VAULT_NOT_DELETABLE';
const unclaimable = 'CLAIMS_NOT_OPEN';

const changes = { changeAllowList: true, changeSettings: true };
const claims = { pot: { lovelace: lovelace(1n), circulating: baseUnits(1n) }, claimsOpenedAt: instant(1_000) };
const everything = (reason: string) => Object.fromEntries(vaultActions.map((action) => [action, reason]));

const callerWith = (permissions: readonly Permission[], wallet: string | null = null): Caller => {
  return { apiKeyId: 'key', roles: [], permissions, wallet, sessionId: wallet };
};
const access: VaultAccess = {
  typeRules: builtInVaultTypes.PRIVATE,
  createdBy: 'admin',
  contributorWhitelist: ['seller'],
  investorWhitelist: ['buyer'],
  investorListEnabled: true,
};
const backend: VaultActor = {
  caller: callerWith(permissionsOf(['ADMIN'])),
  access,
  hasAssets: false,
  mayPropose: false,
  paused: [],
};
const actor = (wallet: string, mayPropose = false): VaultActor => {
  return {
    caller: callerWith(permissionsOf(['PARTICIPANT']), wallet),
    access,
    hasAssets: false,
    mayPropose,
    paused: [],
  };
};
const actionsOf = (change: object, asked: VaultActor, now: number) =>
  Object.fromEntries(
    allowedVaultActions({ ...open, ...change }, asked, instant(now)).map(({ action, allowed, reason }) => [
      action,
      reason ?? allowed,
    ]),
  );

test.each([
  [
    'before both windows',
    {},
    500,
    {
      addAsset: early,
      removeAsset: early,
      invest: earlyAda,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'in the asset window',
    {},
    1_000,
    {
      addAsset: true,
      removeAsset: true,
      invest: earlyAda,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'in both windows',
    {},
    1_500,
    {
      addAsset: true,
      removeAsset: true,
      invest: true,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'in the investment window',
    {},
    2_000,
    {
      addAsset: late,
      removeAsset: late,
      invest: true,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'after both windows',
    {},
    3_000,
    {
      addAsset: late,
      removeAsset: late,
      invest: lateAda,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'when full',
    { countedAssets: 2 },
    1_000,
    {
      addAsset: full,
      removeAsset: true,
      invest: earlyAda,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: true,
    },
  ],
  [
    'once settling',
    { settlementStarted: true },
    3_000,
    {
      addAsset: late,
      removeAsset: late,
      invest: lateAda,
      stake: unsettled,
      propose: unsettled,
      rotate: unsettled,
      ...changes,
      cancel: 'VAULT_NOT_CANCELLABLE',
    },
  ],
  [
    'when locked',
    { status: 'LOCKED' },
    3_000,
    {
      addAsset: late,
      removeAsset: late,
      invest: lateAda,
      stake: true,
      propose: true,
      rotate: true,
      ...changes,
      cancel: 'VAULT_NOT_CANCELLABLE',
    },
  ],
  [
    'while a rotation is announced',
    { status: 'LOCKED', rotationId: 'rotation' },
    3_000,
    {
      addAsset: late,
      removeAsset: late,
      invest: lateAda,
      stake: true,
      propose: true,
      rotate: 'ROTATION_UNDER_WAY',
      ...changes,
      cancel: 'VAULT_NOT_CANCELLABLE',
    },
  ],
  [
    'while it is being cancelled',
    { terminationReason: 'cancelled' },
    1_500,
    { ...everything(ended), claim: unclaimable, delete: inUse },
  ],
  ['after its end', { status: 'TERMINATED' }, 1_500, { ...everything(ended), claim: unclaimable, delete: true }],
  [
    'while holders claim',
    {
      status: 'LOCKED',
      terminationReason: 'liquidated',
      claimable: { ...claims, claimDeadline: instant(2_000), unclaimedLovelaceTo: null, awaitsExecution: false },
    },
    1_500,
    { ...everything(ended), claim: true, delete: inUse },
  ],
  [
    'while the price of a sale is under way',
    {
      status: 'LOCKED',
      terminationReason: 'liquidated',
      claimable: { ...claims, claimDeadline: instant(2_000), unclaimedLovelaceTo: null, awaitsExecution: true },
    },
    1_500,
    { ...everything(ended), claim: 'CLAIMS_AWAIT_SALE', delete: inUse },
  ],
] as const)(
  '%s a vault lists the allowed actions and the reason for each refused one',
  (_when, change, now, expected) => {
    expect(actionsOf(change, backend, now)).toEqual({ claim: unclaimable, delete: inUse, ...expected });
  },
);

test('each caller is told what the operation would tell them', () => {
  const denied = 'INSUFFICIENT_PERMISSIONS';
  const [contribute, buy] = ['CONTRIBUTOR_NOT_WHITELISTED', 'INVESTOR_NOT_WHITELISTED'];
  const ofAdmin = { changeAllowList: true, changeSettings: true, cancel: true, delete: denied };
  const ofOthers = { changeAllowList: denied, changeSettings: denied, cancel: denied };
  expect(actionsOf({}, actor('admin'), 1_500)).toMatchObject({ addAsset: true, invest: true, ...ofAdmin });
  expect(actionsOf({}, actor('seller'), 1_500)).toMatchObject({ addAsset: true, invest: buy, ...ofOthers });
  expect(actionsOf({}, actor('buyer'), 1_500)).toMatchObject({ addAsset: contribute, invest: true, ...ofOthers });
  expect(actionsOf({}, actor('buyer'), 500)).toMatchObject({ addAsset: early, invest: earlyAda });
  expect(actionsOf({}, { ...backend, caller: callerWith([]) }, 1_500)).toEqual(everything(denied));
  const owner = { ...actor('seller'), hasAssets: true };
  expect(actionsOf({}, actor('seller'), 1_500)).toMatchObject({ removeAsset: denied });
  expect(actionsOf({}, owner, 1_500)).toMatchObject({ removeAsset: true });
  expect(actionsOf({}, actor('admin'), 1_500)).toMatchObject({ removeAsset: true });
  const trusted = [{ resource: 'wallet', action: 'UPDATE' }] as const;
  const ownOnly = { resource: 'asset', action: 'DELETE', conditions: { own: true } } as const;
  const mayAdd = { resource: 'asset', action: 'CREATE' } as const;
  const backendKey = { ...backend, caller: callerWith([...trusted, ownOnly, mayAdd]) };
  expect(actionsOf({}, backendKey, 1_500)).toMatchObject({ addAsset: true, removeAsset: denied, invest: denied });
  const adminSession = { ...actor('buyer'), caller: callerWith(permissionsOf(['ADMIN']), 'buyer') };
  expect(actionsOf({}, adminSession, 1_500)).toMatchObject({ addAsset: contribute, invest: true, removeAsset: true });
  const creator = callerWith(permissionsOf(['VAULT_CREATOR']), 'seller');
  expect(actionsOf({}, { ...backend, caller: creator }, 1_500)).toEqual(everything(denied));
  const locked = { status: 'LOCKED' };
  expect(actionsOf(locked, actor('buyer'), 3_000)).toMatchObject({ propose: 'CREATION_THRESHOLD_NOT_MET' });
  expect(actionsOf(locked, actor('buyer', true), 3_000)).toMatchObject({ propose: true, stake: true });
});

test('only who may delete vaults is told that a draft can be deleted', () => {
  const draft = { status: 'DRAFT' };
  expect(actionsOf(draft, backend, 500)).toMatchObject({ delete: true });
  expect(actionsOf(draft, actor('admin'), 500)).toMatchObject({ delete: 'INSUFFICIENT_PERMISSIONS', cancel: true });
});

test('a pause refuses new work only', () => {
  const paused = ['contribution', 'governance'] as const;
  const inWindows = actionsOf({}, { ...backend, paused }, 1_500);
  expect(inWindows).toMatchObject({ addAsset: 'OPERATION_PAUSED', removeAsset: true, invest: true, cancel: true });
  expect(actionsOf({ status: 'LOCKED' }, { ...backend, paused }, 3_000)).toMatchObject({
    stake: 'OPERATION_PAUSED',
    propose: 'OPERATION_PAUSED',
  });
});
