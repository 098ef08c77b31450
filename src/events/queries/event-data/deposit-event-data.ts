import type { DepositKind } from '../../../settlement/rules/deposit-kind.ts';
import type { DeliveredPayment, RefundedPayment } from '../../../platform/database/tables/deposit-payments.ts';

interface NamedAsset {
  readonly assetId: string;
  readonly policyId: string;
  /** Hex. */
  readonly assetName: string;
}

interface AssetData extends NamedAsset {
  readonly assetType: string;
  readonly quantityBaseUnits: string;
}

interface InvestmentData {
  readonly investmentId: string;
  readonly lovelace: string;
}

interface DepositData {
  readonly depositId: string;
  readonly depositKind: DepositKind;
}

interface DepositsData<Payment> {
  readonly deposits: readonly (DepositData & { readonly payment: Payment })[];
}

/** What events of assets and investments say; amounts are texts. */
export interface DepositEventData {
  ASSET_ADD_STARTED: NamedAsset;
  ASSET_ADDED: AssetData;
  ASSET_ADD_ROLLED_BACK: AssetData;
  ASSET_ADD_EXPIRED: AssetData;
  ASSET_PRICED: NamedAsset & { readonly price: string; readonly source: string; readonly asOf: string };
  ASSET_REMOVE_STARTED: NamedAsset;
  ASSET_REMOVED: AssetData;
  ASSET_REMOVE_ROLLED_BACK: AssetData;
  ASSET_REMOVE_EXPIRED: AssetData;
  DUPLICATE_RETURN_STARTED: { readonly output: string; readonly to: string };
  INVESTMENT_STARTED: InvestmentData;
  INVESTMENT_MADE: InvestmentData;
  INVESTMENT_ROLLED_BACK: InvestmentData;
  INVESTMENT_EXPIRED: InvestmentData;
  INVESTMENT_REMOVE_STARTED: InvestmentData;
  INVESTMENT_REMOVED: InvestmentData;
  INVESTMENT_REMOVE_ROLLED_BACK: InvestmentData;
  INVESTMENT_REMOVE_EXPIRED: InvestmentData;
  DEPOSITS_DELIVERED: DepositsData<DeliveredPayment>;
  DEPOSITS_DELIVERY_ROLLED_BACK: DepositsData<DeliveredPayment>;
  DEPOSITS_REFUNDED: DepositsData<RefundedPayment>;
  DEPOSITS_REFUND_ROLLED_BACK: DepositsData<RefundedPayment>;
  DEPOSIT_RECLAIMED: DepositData;
  DEPOSIT_RECLAIM_ROLLED_BACK: DepositData;
}
