import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { basisPoints } from '../units/money.ts';
import { requireChangeable } from './settings.ts';
import { builtInVaultTypes } from './vault-type.ts';
import type { Window } from './window.ts';

const assetWindow: Window = { kind: 'asset', status: 'ACTIVE', startsAt: instant(0), endsAt: instant(1_000) };
const terms = { typeRules: builtInVaultTypes.PUBLIC, investorWhitelist: [], investorListEnabled: false };
const open = { status: 'ACTIVE', assetWindow, settlementStarted: false } as const;

const changeFdp = (timing: Parameters<typeof requireChangeable>[2], now: number) => () => {
  requireChangeable(terms, { fdp: basisPoints(500n) }, timing, instant(now));
};
const refusal = {
  code: 'SETTING_NOT_CHANGEABLE',
  details: {
    errors: [
      {
        code: 'SETTING_NOT_CHANGEABLE',
        field: 'termination.fdp',
        message: 'It is fixed since the settlement was planned',
      },
    ],
  },
};

test.each([
  ['while the asset window is open', 0],
  ['after the asset window has closed', 2_000],
])('fdp can be changed until the settlement is planned (%s)', (_case, now) => {
  expect(changeFdp(open, now)).not.toThrow();
});

test.each([
  ['once the settlement is planned', { ...open, settlementStarted: true }],
  ['in a LOCKED vault', { ...open, status: 'LOCKED' as const, settlementStarted: true }],
])('fdp is fixed %s', (_case, timing) => {
  expect(changeFdp(timing, 2_000)).toThrow(expect.objectContaining(refusal));
});
