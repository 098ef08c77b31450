import { lovelace } from '../units/money.ts';
import { transitions } from '../transitions.ts';

export const investmentStatuses = ['PENDING', 'CONFIRMED', 'SETTLED', 'REFUNDED', 'EXPIRED'] as const;
export type InvestmentStatus = (typeof investmentStatuses)[number];

/** Why an investment is not in its vault: it never arrived, the ledger rejected it, a failed vault returned it, or its owner took it back alone after T. */
export const investmentReleaseReasons = ['expired', 'failed', 'refunded', 'reclaimed'] as const;
export type InvestmentReleaseReason = (typeof investmentReleaseReasons)[number];

/** The next status of an investment. Throws INVALID_TRANSITION. */
export const investmentTransition = transitions<InvestmentStatus>(
  'investment',
  { PENDING: ['CONFIRMED', 'EXPIRED'], CONFIRMED: ['SETTLED', 'REFUNDED'], SETTLED: [], REFUNDED: [], EXPIRED: [] },
  { CONFIRMED: ['PENDING'], SETTLED: ['CONFIRMED'], REFUNDED: ['CONFIRMED'], EXPIRED: ['PENDING'] },
);

/** The smallest investment: 5 ADA, in lovelace (design D13b). */
export const minInvestment = lovelace(5_000_000n);
