import type { Balance } from './statement.ts';
import { isOnLedger } from '../../transactions/rules/transaction-state.ts';
import type { BookOutput, LedgerView, VaultBooks } from './books.ts';
import type { Difference } from './difference.ts';

/** Compares the outputs at the addresses of a vault, one by one. What a transaction explains that differs itself is left out. */
export function compareOutputs(books: VaultBooks, ledger: LedgerView): Difference[] {
  return [...fromBooks(books, ledger), ...fromLedger(books, ledger)];
}

function fromBooks(books: VaultBooks, ledger: LedgerView): Difference[] {
  const recorded = new Set(books.transactions.map(({ hash }) => hash));
  const takenByUnknown = new Set([...ledger.unknownSpenders.values()].flat());
  const isRecordedElsewhere = (hash: string) => recorded.has(hash) && !ledger.transactions.has(hash);
  return books.outputs.flatMap((output): Difference[] => {
    const { ref: subject, txHash, isUnsolicited, isSpent, spender } = output;
    const found = ledger.outputs.get(subject);
    if (isSpent) {
      const isExplained = spender !== null && (ledger.later.has(spender) || isRecordedElsewhere(spender));
      return found && !isExplained ? [stillUnspent(output, found)] : [];
    }
    if (found) return compareAmounts(output, found);
    const isExplained = isUnsolicited ? ledger.later.has(txHash) : !ledger.transactions.has(txHash);
    if (isExplained || takenByUnknown.has(subject)) return [];
    return [{ code: 'OUTPUT_MISSING', subject, books: amountText(output), ledger: 'not unspent' }];
  });
}

function stillUnspent({ ref: subject, spender }: BookOutput, found: Balance): Difference {
  return { code: 'OUTPUT_NOT_SPENT', subject, books: `spent by ${spender ?? 'others'}`, ledger: amountText(found) };
}

function compareAmounts(output: BookOutput, found: Balance): Difference[] {
  const [books, ledger] = [amountText(output), amountText(found)];
  return books === ledger ? [] : [{ code: 'OUTPUT_DIFFERS', subject: output.ref, books, ledger }];
}

function fromLedger({ outputs, transactions }: VaultBooks, { outputs: unspent, unknownSpenders }: LedgerView) {
  const known = new Set(outputs.map(({ ref }) => ref));
  const states = new Map(transactions.map(({ hash, state }) => [hash, state]));
  return [...unspent].flatMap(([subject, held]): Difference[] => {
    const [hash = ''] = subject.split('#');
    const state = states.get(hash);
    if (known.has(subject) || unknownSpenders.has(hash)) return [];
    if (state !== undefined && !isOnLedger(state)) return []; // Its transaction differs.
    const code = state === undefined ? 'OUTPUT_UNLISTED' : 'OUTPUT_UNKNOWN';
    return [{ code, subject, books: 'nothing', ledger: `${amountText(held)} at ${held.address}` }];
  });
}

function amountText({ lovelace, assets }: Balance): string {
  const held = [...assets].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [`${lovelace} lovelace`, ...held.map(([unit, quantity]) => `${quantity} ${unit}`)].join(', ');
}
