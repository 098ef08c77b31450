import type { UtxoRef } from '../../../transactions/rules/utxo-ref.ts';

interface PaymentOfDeposit {
  /** Address that is paid. */
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly feeShare: string;
}

/** What the owner of a deposit receives by a delivery; amounts are texts. */
export interface DeliveredPayment extends PaymentOfDeposit {
  readonly ft: string;
  readonly lovelaceShare: string;
  readonly depositReturned: string;
  readonly custodyMinAda: string;
  /** Index of the output. */
  readonly ownerOutput: number;
  readonly custodyOutput: number | null;
}

/** What the owner of a deposit receives by a refund; amounts are texts. */
export interface RefundedPayment extends PaymentOfDeposit {
  readonly lovelaceReturned: string;
}

/** Where a hand-over sends an asset. */
export interface HandedOver {
  readonly address: string;
}

/** What a transaction records of each deposit that it spends, by its kind. */
export interface Payments {
  deliver: DeliveredPayment;
  refund: RefundedPayment;
  hand_over: HandedOver;
}
