import { type Instant, instant } from '../../platform/units/instant.ts';

/** What the script of the deposits in a vault depends on, beside their owner (design D20). */
export interface DepositGuard {
  /** The key of the vault in it. */
  readonly settlementKeyHash: string;
  readonly settlesBySlot: number;
  readonly settlesBy: Instant;
}

/** Columns of a vault for `readGuard`. */
export const guardColumns = ['vaults.settlement_key_hash', 'vaults.settles_by', 'vaults.settles_by_slot'] as const;

export function readGuard(row: {
  readonly settlement_key_hash: string;
  readonly settles_by: Date;
  readonly settles_by_slot: string;
}): DepositGuard {
  return {
    settlementKeyHash: row.settlement_key_hash,
    settlesBy: instant(row.settles_by),
    settlesBySlot: Number(row.settles_by_slot),
  };
}
