import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { basisPoints } from '../../platform/units/money.ts';
import { requireChangeable } from './settings.ts';
import { builtInVaultTypes } from '../../types/rules.ts';
import type { Window } from './window.ts';

const assetWindow: Window = { kind: 'asset', status: 'ACTIVE', startsAt: instant(0), endsAt: instant(1_000_000) };
const terms = { typeRules: builtInVaultTypes.PUBLIC, investorWhitelist: [], investorListEnabled: false };

const changeFdp = (now: number) => () => {
  requireChangeable(terms, { fdp: basisPoints(1n) }, { assetWindow }, instant(now));
};
const refusal = {
  code: 'SETTING_NOT_CHANGEABLE',
  details: {
    errors: [
      {
        code: 'SETTING_NOT_CHANGEABLE',
        field: 'termination.fdp',
        message: 'Too late: depositors would have no time to withdraw.',
      },
    ],
  },
};

test('fdp can be changed while those who have deposited have time to leave', () => {
  expect(changeFdp(0)).not.toThrow();
  expect(changeFdp(499_999)).not.toThrow();
});

/** An fdp of 0.01 % ends the vault within hours, and what is not sold then goes to the wallet that its creator has named. */
test.each([
  ['in the second half of a short asset window', 500_000],
  ['when contributors cannot leave', 1_000_000],
  ['when investors cannot leave either, before the settlement is planned', 2_000_000],
])('fdp is fixed %s', (_case, now) => {
  expect(changeFdp(now)).toThrow(expect.objectContaining(refusal));
});
