import { lovelace } from '../units/money.ts';
import { transitions } from '../transitions.ts';

export const investmentStatuses = ['PENDING', 'CONFIRMED', 'SETTLED', 'REFUNDED', 'EXPIRED'] as const;
export type InvestmentStatus = (typeof investmentStatuses)[number];

/** Why an investment is not in its vault: never arrived, refused by the ledger, returned by a failed vault, or taken back by its owner alone after T. */
export const investmentReleaseReasons = ['expired', 'failed', 'refunded', 'reclaimed'] as const;
export type InvestmentReleaseReason = (typeof investmentReleaseReasons)[number];

/** The next status of an investment; throws INVALID_TRANSITION. */
export const investmentTransition = transitions<InvestmentStatus>(
  'investment',
  { PENDING: ['CONFIRMED', 'EXPIRED'], CONFIRMED: ['SETTLED', 'REFUNDED'], SETTLED: [], REFUNDED: [], EXPIRED: [] },
  { CONFIRMED: ['PENDING'], SETTLED: ['CONFIRMED'], REFUNDED: ['CONFIRMED'] },
);

/** 5 ADA (design D13b). */
export const minInvestment = lovelace(5_000_000n);
