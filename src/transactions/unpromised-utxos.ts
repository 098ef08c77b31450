import type { Utxo } from '../cardano/transaction.ts';
import { refText } from './rules/utxo-ref.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { inputsAwaitingSignature } from './queries/utxo-leases.ts';
import type { Actor } from '../access/actor.ts';

/** Those of the UTxOs that no unsigned transaction of the wallet spends: what is not leased before its signature could be taken twice. */
export async function unpromisedUtxos({ tx }: TransactionContext, { address, funds }: Actor, utxos: readonly Utxo[]) {
  if (!funds) return utxos;
  const promised = new Set((await inputsAwaitingSignature(tx, address)).map(refText));
  return utxos.filter((utxo) => !promised.has(refText(utxo)));
}
