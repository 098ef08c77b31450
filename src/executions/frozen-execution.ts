import { cosignersMissing } from './rules/cosigners.ts';
import { differencesFromFrozen } from './rules/execution.ts';
import { refText } from '../transactions/rules.ts';
import { lockTransaction } from '../transactions/queries/transactions.ts';
import { changeExecution, type Execution } from './queries.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { inputsHeldElsewhere } from '../transactions/queries/utxo-leases.ts';
import type { ServiceContext } from '../context.ts';
import { moveTransaction } from '../ledger-follower/effects.ts';
import { publish } from '../events/publish.ts';
import { effectRules } from './rules/effects.ts';
import {
  concernedWallets,
  type ExecutableProposal,
  requireExecutor,
  type ExecutionInput,
  type ExecutionPrefetch,
  requestedEffect,
  spendableUtxos,
} from './plan-execution.ts';
import { requireNamedCosigners } from './cosigners.ts';

/**
 * Whether a frozen execution does what is requested and can still be confirmed. Prices are not checked again: signatures
 * were given for it as it is.
 */
export async function isReusable(
  context: TransactionContext,
  { networkId }: ServiceContext,
  { params, executor }: ExecutionInput,
  { frozen, executable }: { readonly frozen: Execution; readonly executable: ExecutableProposal },
  prefetch: ExecutionPrefetch,
): Promise<boolean> {
  const { tx } = context;
  const { effect: approved } = executable.proposal;
  const effect = await requestedEffect(tx, executable.proposal, params);
  const named = await requireNamedCosigners(tx, executable, params, networkId, cosignersMissing);
  if (differencesFromFrozen(frozen, { effect, ...named }).length > 0) return false;
  const request = { approved, requested: effect, executor: executor.address };
  const partner = effectRules[approved.type].partner(request);
  if (partner !== (frozen.partner?.wallet ?? null)) return false;
  await requireExecutor(tx, executable, executor, partner);
  return canStillConfirm(context, frozen, prefetch);
}

/** Whether a frozen transaction still waits for signatures and all its inputs are unspent and not leased by others. */
export async function canStillConfirm(
  { tx, now }: TransactionContext,
  frozen: Execution,
  prefetch: ExecutionPrefetch,
): Promise<boolean> {
  const transaction = await lockTransaction(tx, frozen.transactionId);
  if (transaction?.state !== 'awaiting_signatures' || transaction.expiresAt <= now) return false;
  const unspent = new Set(spendableUtxos(prefetch).map(refText));
  if (!transaction.inputs.every((input) => unspent.has(refText(input)))) return false;
  return (await inputsHeldElsewhere(tx, transaction)).length === 0;
}

/** Voids a frozen execution that another one replaces, and ends its transaction. */
export async function voidReplaced(
  context: TransactionContext,
  { executor, correlationId }: ExecutionInput,
  replaced: Execution,
): Promise<void> {
  const { id: executionId, proposalId, vaultId, transactionId } = replaced;
  await changeExecution(context.tx, replaced, { status: 'VOIDED', reason: 'replaced' });
  const transaction = await lockTransaction(context.tx, transactionId);
  if (!transaction) throw new Error(`execution ${executionId} has no transaction`);
  // It needs the vault's signature, which only a submitted execution gets: the transaction can never be confirmed.
  await moveTransaction(context, transaction, { to: 'expired', reason: 'replaced by another execution' });
  const data = { proposalId, executionId, cause: 'replaced' };
  const wallets = concernedWallets(replaced);
  const source = { vaultId, actor: executor.address, wallets, transactionHash: null, correlationId };
  await publish(context, { event: { type: 'EXECUTION_VOIDED', ...source, data } });
}
