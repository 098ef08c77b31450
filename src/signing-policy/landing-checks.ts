import type { TransactionKind } from '../transactions/rules/transaction-state.ts';

/**
 * What shows that a transaction of a kind does what its row says once it has landed: what it brings, that it spends what it returns, or the
 * signature of a key that judged it by that row. Null where the api has no right to record it (`8_rights.sql`): the worker did.
 */
export const landingChecks = {
  create_vault: 'key of vault',
  add_asset: 'assets',
  remove_asset: 'returned',
  remove_investment: 'returned',
  invest: 'investment',
  stake: 'stake',
  unstake: 'returned',
  mint: null,
  deliver: null,
  liquidity: null,
  refund: null,
  fan_out: null,
  anchor: 'key of operator',
  execute: 'key of vault',
  return_unsolicited: 'returned',
  gather_pot: null,
  hand_over: null,
  pay_remainder: null,
  close_vault: null,
  claim: 'key of vault',
  move_custody: null,
  move_kept: null,
} as const satisfies Record<TransactionKind, string | null>;

export type LandingCheck = NonNullable<(typeof landingChecks)[TransactionKind]>;
