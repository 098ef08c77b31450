import type { Utxo } from '../../chain/transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { inputsAwaitingSignature } from '../../store/utxo-leases.ts';
import type { Actor } from '../actor.ts';

/** Those of the UTxOs that no unsigned transaction of the wallet spends: what is not leased before its signature could be taken twice. */
export async function unpromisedUtxos({ tx }: TransactionContext, { address, funds }: Actor, utxos: readonly Utxo[]) {
  if (!funds) return utxos;
  const promised = new Set((await inputsAwaitingSignature(tx, address)).map(refText));
  return utxos.filter((utxo) => !promised.has(refText(utxo)));
}
