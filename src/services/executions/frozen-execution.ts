import type { FieldProblem } from '../../domain/errors.ts';
import { type ProposalEffect } from '../../domain/proposal/effect.ts';
import { lockTransaction } from '../../store/chain-transactions.ts';
import type { Execution } from '../../store/executions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { inputsHeldElsewhere } from '../../store/utxo-leases.ts';
import { type ExecutionPrefetch, spendableUtxos } from './prefetch.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Signer } from '../../domain/execution/signatures.ts';
import { frozenTermsDiffer } from '../../domain/proposal/effect-differences.ts';

/** Where a request means something else than what is frozen, however it is written. */
export function differencesFromFrozen(
  { effect, cosigners: frozen }: Execution,
  asked: ProposalEffect,
  cosigners: readonly Signer[],
): readonly FieldProblem[] {
  const named = new Set(cosigners.map(({ keyHash }) => keyHash));
  const sameCosigners = named.size === frozen.length && frozen.every(({ keyHash }) => named.has(keyHash));
  if (sameCosigners) return frozenTermsDiffer(effect, asked);
  const message = `Frozen for ${frozen.map(({ wallet }) => wallet).join(', ') || 'no cosigners'}`;
  return [...frozenTermsDiffer(effect, asked), { code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'cosigners' }];
}

/** Whether what is frozen still waits for signatures and everything it spends is still there for it. */
export async function canStillLand(
  { tx, now }: TransactionContext,
  frozen: Execution,
  facts: ExecutionPrefetch,
): Promise<boolean> {
  const transaction = await lockTransaction(tx, frozen.transactionId);
  if (transaction?.state !== 'awaiting_signatures' || transaction.expiresAt <= now) return false;
  const unspent = new Set(spendableUtxos(facts).map(refText));
  if (!transaction.inputs.every((input) => unspent.has(refText(input)))) return false;
  return (await inputsHeldElsewhere(tx, transaction)).length === 0;
}
