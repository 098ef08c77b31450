import { contributor } from '../../transactions/routes/example-wallet.ts';

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
  entitlementCount: 4,
  returnedCount: 0,
  returned: [],
  revision: null,
};

export const entitlementExample = {
  depositId: '01a1ffab-83c3-7331-9786-026c1c193573',
  depositKind: 'asset',
  wallet: contributor,
  ftBaseUnits: '182551883167',
  lovelace: '121060723',
  lovelaceOwed: '121060723',
  reclaimed: false,
};
