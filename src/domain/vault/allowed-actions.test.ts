import { expect, test } from '@jest/globals';
import { allowedVaultActions, type VaultActionSnapshot } from './allowed-actions.ts';
import { instant } from '../units/instant.ts';

const open: VaultActionSnapshot = {
  status: 'ACTIVE',
  terminationReason: null,
  assetWindow: { kind: 'asset', status: 'ACTIVE', startsAt: instant(1_000), endsAt: instant(2_000) },
  investmentWindow: { kind: 'investment', status: 'PENDING', startsAt: instant(1_500), endsAt: instant(3_000) },
  countedAssets: 0,
  maxAssets: 2,
  settlementStarted: false,
};

const early = 'ASSET_WINDOW_NOT_OPEN';
const late = 'ASSET_WINDOW_CLOSED';
const earlyAda = 'INVESTMENT_WINDOW_NOT_OPEN';
const lateAda = 'INVESTMENT_WINDOW_CLOSED';
const ended = 'VAULT_ALREADY_ENDED';
const full = 'MAX_ASSETS_REACHED';
const unsettled = 'VAULT_NOT_LOCKED';

test.each([
  [
    'before both windows',
    {},
    500,
    { addAsset: early, removeAsset: early, invest: earlyAda, stake: unsettled, cancel: true },
  ],
  [
    'in the asset window',
    {},
    1_000,
    { addAsset: true, removeAsset: true, invest: earlyAda, stake: unsettled, cancel: true },
  ],
  ['in both windows', {}, 1_500, { addAsset: true, removeAsset: true, invest: true, stake: unsettled, cancel: true }],
  [
    'in the investment window',
    {},
    2_000,
    { addAsset: late, removeAsset: late, invest: true, stake: unsettled, cancel: true },
  ],
  [
    'after both windows',
    {},
    3_000,
    { addAsset: late, removeAsset: late, invest: lateAda, stake: unsettled, cancel: true },
  ],
  [
    'when full',
    { countedAssets: 2 },
    1_000,
    { addAsset: full, removeAsset: true, invest: earlyAda, stake: unsettled, cancel: true },
  ],
  [
    'once settling',
    { settlementStarted: true },
    3_000,
    { addAsset: late, removeAsset: late, invest: lateAda, stake: unsettled, cancel: 'VAULT_NOT_CANCELLABLE' },
  ],
  [
    'when locked',
    { status: 'LOCKED' },
    3_000,
    { addAsset: late, removeAsset: late, invest: lateAda, stake: true, cancel: 'VAULT_NOT_CANCELLABLE' },
  ],
  [
    'while it is being cancelled',
    { terminationReason: 'cancelled' },
    1_500,
    { addAsset: ended, removeAsset: ended, invest: ended, stake: ended, cancel: ended },
  ],
  [
    'after its end',
    { status: 'TERMINATED' },
    1_500,
    { addAsset: ended, removeAsset: ended, invest: ended, stake: ended, cancel: ended },
  ],
] as const)(
  '%s a vault lists the allowed actions and the reason for each refused one',
  (_when, change, now, expected) => {
    const actions = allowedVaultActions({ ...open, ...change }, instant(now));
    expect(Object.fromEntries(actions.map(({ action, allowed, reason }) => [action, reason ?? allowed]))).toEqual(
      expected,
    );
  },
);
