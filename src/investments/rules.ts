import { transitions } from '../platform/states.ts';
import { FULL_SHARE, type Lovelace, lovelace } from '../platform/units/money.ts';
import { investmentReturnReasons } from '../settlement/rules/deposits.ts';

export const investmentStatuses = ['PENDING', 'CONFIRMED', 'SETTLED', 'REFUNDED', 'EXPIRED'] as const;
export type InvestmentStatus = (typeof investmentStatuses)[number];

/**
 * Why an investment is not in its vault: it never arrived, the ledger rejected it, a failed vault returned it, its owner took it
 * back alone after T, its owner took it back while the window was open, or it did not count in the settlement.
 */
export const investmentReleaseReasons = [
  'expired',
  'failed',
  'refunded',
  'reclaimed',
  'removed',
  ...investmentReturnReasons,
] as const;
export type InvestmentReleaseReason = (typeof investmentReleaseReasons)[number];

/** The next status of an investment. */
export const investmentTransition = transitions<InvestmentStatus>(
  'investment',
  { PENDING: ['CONFIRMED', 'EXPIRED'], CONFIRMED: ['SETTLED', 'REFUNDED'], SETTLED: [], REFUNDED: [], EXPIRED: [] },
  { CONFIRMED: ['PENDING'], SETTLED: ['CONFIRMED'], REFUNDED: ['CONFIRMED'], EXPIRED: ['PENDING'] },
);

/** 80 %: the part of the present value of the vault that an investment asks for unless it names its own bound (design D41). */
const DEFAULT_BOUND = 8_000n;

/** The value that the assets of the vault must have at least for an investment to count, unless it names another (lovelace). */
export function defaultMinVaultValue(presentValue: Lovelace): Lovelace {
  return lovelace((presentValue * DEFAULT_BOUND) / FULL_SHARE);
}

/** The smallest investment: 5 ADA, in lovelace (design D13b). */
export const minInvestment = lovelace(5_000_000n);
