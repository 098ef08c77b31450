import type { Payer } from '../cardano/build/funding.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import type { TransactionKind } from '../transactions/rules/transaction-state.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import { closeFence } from '../platform/database/fences.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A transaction that is built anew. */
export type Replaced = Pick<ChainTransaction, 'state' | 'inputs' | 'refusal'>;

/**
 * Returns how to build a transaction that the operator's free UTxOs pay for, in the database transaction that records it: many at once
 * take turns, and none takes what another has just taken. One that replaces expired ones pays with their inputs where these suffice, so
 * that both can never land, even after a deep rollback (design §5); of those that the ledger refused it takes none while there are
 * others. Throws OPERATOR_BUDGET_SPENT before anything is held, and LEDGER_UNAVAILABLE; what it returns throws what `build` throws.
 */
export async function buildWithOperatorFunds(
  { ledger, keys: { operator }, operatorBudget }: Pick<WorkerContext, 'ledger' | 'keys' | 'operatorBudget'>,
  kind: TransactionKind,
  replaced: readonly Replaced[],
  build: Build,
): Promise<(tx: Transaction) => Promise<BuiltTransaction>> {
  operatorBudget.requireRoom(kind);
  const unspent = await ledger.payingUtxos(operator.address);
  return async (tx) => {
    await closeFence(tx, `wallet:${operator.address}`);
    return buildFrom(await excludeLeased(tx, unspent), operator, replaced, build);
  };
}

type Build = (operator: Payer) => BuiltTransaction;

function buildFrom(
  free: readonly Utxo[],
  { address, keyHash }: WorkerContext['keys']['operator'],
  replaced: readonly Replaced[],
  build: Build,
): BuiltTransaction {
  const { preferred, others } = chooseFunds(free, replaced);
  try {
    return build({ address, keyHash, utxos: preferred });
  } catch (error) {
    // What is left of the inputs of an expired transaction may be too little.
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS' || others.length === 0) throw error;
    return build({ address, keyHash, utxos: [...preferred, ...others] });
  }
}

function chooseFunds(free: readonly Utxo[], replaced: readonly Replaced[]) {
  const isRefused = ({ state, refusal }: Replaced) => state === 'failed' || refusal !== null;
  const inputsOf = (earlier: readonly Replaced[]) => new Set(earlier.flatMap(({ inputs }) => inputs.map(refText)));
  const refused = inputsOf(replaced.filter(isRefused));
  const expired = inputsOf(replaced.filter(({ state }) => state === 'expired'));
  const unsuspected = free.filter((utxo) => !refused.has(refText(utxo)));
  const reusable = unsuspected.filter((utxo) => expired.has(refText(utxo)));
  const preferred = [reusable, unsuspected, free].find(({ length }) => length > 0) ?? [];
  return { preferred, others: free.filter((utxo) => !preferred.includes(utxo)) };
}
