import { investmentReleaseReasons, investmentStatuses } from '../../domain/investment/investment.ts';
import { enumSchema } from '../server/enums.ts';

export const InvestmentStatusEnum = enumSchema('InvestmentStatus', investmentStatuses, {
  PENDING: 'its transaction is in no block yet, or waits for its signature',
  CONFIRMED: 'counts',
  SETTLED: 'its tokens were delivered',
  REFUNDED: 'back with its wallet',
  EXPIRED: 'never came in',
});

export const InvestmentReleaseReasonEnum = enumSchema('InvestmentReleaseReason', investmentReleaseReasons, {
  expired: 'its transaction was not signed, or not in a block, in time',
  failed: 'the ledger refused its transaction for good',
  refunded: 'returned by the vault, which failed',
  reclaimed: 'taken back by its owner alone after `settlesBy`',
});
