import type { LedgerView, VaultBooks } from './books.ts';
import { compareHoldings } from './compare-holdings.ts';
import { compareOutputs } from './compare-outputs.ts';
import { compareState } from './compare-state.ts';
import { compareTokens } from './compare-tokens.ts';
import { compareTransactions } from './compare-transactions.ts';
import type { Difference } from './difference.ts';

/** Everything that the books of a vault and the ledger say differently at one block. */
export function compareVault(books: VaultBooks, ledger: LedgerView): Difference[] {
  const comparisons = [compareTransactions, compareOutputs, compareHoldings, compareTokens, compareState];
  return comparisons.flatMap((compare) => compare(books, ledger));
}
