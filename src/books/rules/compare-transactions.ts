import { isOnLedger, isOpen } from '../../transactions/rules/transaction-state.ts';
import { secondsAfter } from '../../platform/units/instant.ts';
import type { BookTransaction, LedgerView, VaultBooks } from './books.ts';
import type { Difference } from './difference.ts';

/** The follower expires a transaction when a block past its validity is final. */
const OVERDUE_SECONDS = 3600;

/** Compares the recorded transactions of a vault with those on the ledger. */
export function compareTransactions({ transactions, block, leasesLeft }: VaultBooks, ledger: LedgerView): Difference[] {
  const overdueBefore = secondsAfter(block.time, -OVERDUE_SECONDS);
  const isOverdue = ({ state, expiresAt }: BookTransaction) =>
    isOpen(state) && !isOnLedger(state) && expiresAt < overdueBefore;
  return [
    ...transactions.flatMap((one) => compareWithLedger(one, ledger)),
    ...transactions.filter(isOverdue).map(({ hash: subject, state }): Difference => {
      return { code: 'TRANSACTION_OVERDUE', subject, books: state, ledger: 'its validity has passed' };
    }),
    ...[...ledger.unknownSpenders].map(([subject, spent]): Difference => {
      return { code: 'TRANSACTION_UNKNOWN', subject, books: 'nothing', ledger: `spends ${spent.join(', ')}` };
    }),
    ...transactions.filter(lacksRows).map(({ hash: subject, kind }): Difference => {
      return { code: 'ROW_MISSING', subject, books: 'nothing', ledger: `${kind} is on the ledger` };
    }),
    ...leasesLeft.map((subject): Difference => {
      return { code: 'LEASE_LEFT', subject, books: 'leased', ledger: 'its transaction has ended' };
    }),
  ];
}

const lacksRows = ({ state, rows }: BookTransaction) => isOnLedger(state) && rows === 0;

function compareWithLedger(transaction: BookTransaction, { transactions }: LedgerView): Difference[] {
  const { hash: subject, state, blockHeight } = transaction;
  const height = transactions.get(subject);
  if (!isOnLedger(state)) {
    if (height === undefined) return [];
    return [{ code: 'TRANSACTION_STATE_DIFFERS', subject, books: state, ledger: `in block ${height}` }];
  }
  const books = `${state} in block ${blockHeight ?? 'none'}`;
  if (height === undefined) return [{ code: 'TRANSACTION_NOT_ON_LEDGER', subject, books, ledger: 'not on the ledger' }];
  if (height !== blockHeight)
    return [{ code: 'TRANSACTION_BLOCK_DIFFERS', subject, books, ledger: `in block ${height}` }];
  return [];
}
