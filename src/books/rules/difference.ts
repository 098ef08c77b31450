/** A difference is in correctness when the books say what is not so, in completeness when they do not say what is so. */
export const differenceKinds = ['correctness', 'completeness'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** What a reconciliation can find, and in which respect the books are then wrong. */
export const differenceCodes = {
  OUTPUT_MISSING: 'correctness',
  OUTPUT_NOT_SPENT: 'correctness',
  OUTPUT_DIFFERS: 'correctness',
  OUTPUT_UNKNOWN: 'completeness',
  OUTPUT_UNLISTED: 'completeness',
  TRANSACTION_NOT_ON_LEDGER: 'correctness',
  TRANSACTION_STATE_DIFFERS: 'correctness',
  TRANSACTION_BLOCK_DIFFERS: 'correctness',
  TRANSACTION_UNKNOWN: 'completeness',
  TRANSACTION_OVERDUE: 'completeness',
  ROW_MISSING: 'completeness',
  ASSET_QUANTITY_DIFFERS: 'correctness',
  INVESTMENT_DIFFERS: 'correctness',
  STAKE_DIFFERS: 'correctness',
  CLAIM_DIFFERS: 'correctness',
  FT_SUPPLY_DIFFERS: 'correctness',
  FT_SHARES_DIFFER: 'correctness',
  FT_CIRCULATING_DIFFERS: 'correctness',
  ENTITLEMENT_DIFFERS: 'correctness',
  POT_DIFFERS: 'correctness',
  ASSET_COUNT_DIFFERS: 'correctness',
  VAULT_STATE_DIFFERS: 'correctness',
  LEASE_LEFT: 'completeness',
  VAULT_NOT_COMPARED: 'completeness',
} as const satisfies Record<string, DifferenceKind>;
export type DifferenceCode = keyof typeof differenceCodes;

/** One thing that the books and the ledger say differently. */
export interface Difference {
  readonly code: DifferenceCode;
  /** What it is about: an output as `<hash>#<index>`, a hash, the id of a row, a unit. */
  readonly subject: string;
  /** What the books say. */
  readonly books: string;
  /** What the ledger says, or what follows from the other rows. */
  readonly ledger: string;
}

/** The differences that two comparisons have found, one after the other: a block in between explains the others. */
export function lastingDifferences(first: readonly Difference[], second: readonly Difference[]): Difference[] {
  const key = ({ code, subject }: Difference) => `${code} ${subject}`;
  const before = new Set(first.map(key));
  return second.filter((one) => before.has(key(one)));
}
