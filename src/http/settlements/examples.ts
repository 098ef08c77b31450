import { contributor, investor } from '../server/example-wallet.ts';

// Recorded on a development stack.

export const settlementExample = {
  plannedAt: '2026-11-23T19:54:08.414Z',
  figures: {
    value: '650500000',
    invested: '350000000',
    fdv: '700000000',
    reserveRequired: '65050000',
    lpLovelace: '35000000',
    lpFt: '50000000000',
    investorsFt: '475000000000',
    contributorsFt: '475000000000',
    contributorsLovelace: '315000000',
  },
  entitlements: [
    {
      depositId: '01a1ffab-8fe5-717c-bb18-74a06a2368f0',
      depositKind: 'investment',
      wallet: investor,
      ftBaseUnits: '271428571429',
      lovelace: '0',
      lovelaceOwed: '0',
      reclaimed: false,
    },
    {
      depositId: '01a1ffab-83c3-7331-9786-026c1c193573',
      depositKind: 'asset',
      wallet: contributor,
      ftBaseUnits: '182551883167',
      lovelace: '121060723',
      lovelaceOwed: '121060723',
      reclaimed: false,
    },
  ],
  returned: [],
  revision: null,
};
