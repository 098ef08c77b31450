import { investmentReleaseReasons, investmentStatuses } from '../rules/investment.ts';
import { returnReasons } from '../../settlement/rules/counted-deposits.ts';
import { enumSchema } from '../../platform/http/enums.ts';

export const InvestmentStatusEnum = enumSchema('InvestmentStatus', investmentStatuses, {
  PENDING: 'its transaction waits for its signature or for a block',
  CONFIRMED: 'its transaction is in a block; the investment counts',
  SETTLED: 'its tokens were delivered',
  REFUNDED: 'returned to its wallet',
  EXPIRED: 'never arrived',
});

export const InvestmentReleaseReasonEnum = enumSchema('InvestmentReleaseReason', investmentReleaseReasons, {
  expired: 'its transaction was not signed or not in a block in time',
  failed: 'the ledger rejected its transaction for good',
  refunded: 'returned because the vault failed',
  reclaimed: 'taken back by its owner after `settlesBy`, without the platform',
  removed: 'taken back by its investor while the investment window was open',
  value_below_bound: 'returned by the settlement, because the assets were worth less than its `minVaultValue`',
  fdv_above_bound: 'returned by the settlement, because the FDV was higher than its `maxFdv`',
  share_below_one_unit: 'returned by the settlement, because its share was less than one base unit',
});

export const ReturnReasonEnum = enumSchema('ReturnReason', returnReasons, {
  value_below_bound: 'the assets are worth less than its `minVaultValue`',
  fdv_above_bound: 'the FDV is higher than its `maxFdv`',
  share_below_one_unit: 'its share is less than one base unit',
  share_of_value_capped: 'an asset: it would count with less than 80 % of its value under `assetSettings.maxShare`',
});
