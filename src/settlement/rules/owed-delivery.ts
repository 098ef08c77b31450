import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { BaseUnits, Lovelace } from '../../platform/units/money.ts';

/** A deposit that a delivery spends, and what the plan of the settlement owes for it. */
export interface OwedDelivery {
  readonly deposit: UtxoRef;
  readonly owner: string;
  readonly invested: Lovelace;
  readonly ft: BaseUnits;
  /** The owner's share of the invested ADA. */
  readonly lovelace: Lovelace;
}

/** What the plan of a settlement gives for a deposit. */
export interface PlannedShare extends OwedDelivery {
  /** What an asset counts with; 0 for an investment. */
  readonly value: Lovelace;
  /** What it was counted as besides ADA, by policy id + name: nothing for an investment. */
  readonly contributed: ReadonlyMap<string, bigint>;
}
