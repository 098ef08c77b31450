import type { UtxoRef } from './utxo-ref.ts';

/** Evidence that a transaction can never land: another one, which is final, has spent an output that it spends too. */
export interface InputConflict {
  readonly input: UtxoRef;
  readonly spentBy: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}
