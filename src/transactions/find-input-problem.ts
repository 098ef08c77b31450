import type { Utxo } from '../cardano/transaction.ts';
import { isOnLedger, isOpen } from './rules/transaction-state.ts';
import type { InputConflict } from './rules/input-conflict.ts';
import { refText } from './rules/utxo-ref.ts';
import { type ChainTransaction, findTransactionByHash } from './queries/chain-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { findSpendingTransaction, isUnspent } from '../cardano/ledger/find-spending-transaction.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'confirmationDepth'>;

/** Why an input cannot be spent: not back after a rollback, or spent for good by another transaction. */
export type InputProblem =
  | { readonly kind: 'not yet'; readonly reason: string }
  | { readonly kind: 'spent'; readonly reason: string; readonly conflict: InputConflict | null };

/**
 * Finds the input because of which the ledger may have refused a transaction; null when it is on the ledger itself, or when
 * all its inputs are there. An input counts as spent once the spending transaction is final: until then it may be rolled
 * back, and this one land after all. For a claim any block suffices, because it holds an output of the pot that others wait for; if it
 * lands after all, it counts. Throws LEDGER_UNAVAILABLE.
 */
export async function findInputProblem(
  context: Context,
  { hash, inputs, kind }: ChainTransaction,
): Promise<InputProblem | null> {
  if (await context.ledger.transaction(hash)) return null;
  for (const input of inputs) {
    const problem = await problemOf(context, input, { hash, kind });
    if (problem === null) continue;
    // It may have landed since the ledger was asked first.
    return (await context.ledger.transaction(hash)) ? null : problem;
  }
  return null;
}

async function problemOf(
  context: Context,
  input: Utxo,
  { hash, kind }: Pick<ChainTransaction, 'hash' | 'kind'>,
): Promise<InputProblem | null> {
  if (await isUnspent(context, input)) return null;
  const name = `input ${refText(input)}`;
  const producer = await findTransactionByHash(context.db, input.txHash);
  if (producer && !isOnLedger(producer.state)) {
    if (isOpen(producer.state)) return { kind: 'not yet', reason: `${name} is not back yet` };
    return { kind: 'spent', reason: `${name} can never be on the ledger`, conflict: null };
  }
  const found = await findSpendingTransaction(context, input);
  if (found.kind === 'unfinished') return { kind: 'not yet', reason: `by what ${name} was spent is still to be found` };
  // An output that somebody else made may come back. An anchor does not wait for that: another one can carry its payloads.
  if (found.kind === 'absent') {
    const reason = `${name} is gone`;
    return kind === 'anchor' ? { kind: 'spent', reason, conflict: null } : { kind: 'not yet', reason };
  }
  // A backend may know what spent the input before it knows that transaction by its hash.
  if (found.spender === hash) return null;
  return problemOfSpent(context, input, { spender: found.spender, isSure: found.isFinal || kind === 'claim' });
}

async function problemOfSpent(
  { ledger }: Context,
  input: Utxo,
  { spender, isSure }: { readonly spender: string; readonly isSure: boolean },
): Promise<InputProblem> {
  const reason = `input ${refText(input)} was spent by another transaction, ${spender}`;
  const found = isSure ? await ledger.transaction(spender) : null;
  if (found === null) return { kind: 'not yet', reason };
  const { blockHeight, blockHash } = found;
  const spent = { txHash: input.txHash, index: input.index };
  return { kind: 'spent', reason, conflict: { input: spent, spentBy: spender, blockHeight, blockHash } };
}
