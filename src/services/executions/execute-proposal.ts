import { signaturesMissing } from '../../domain/execution/cosigning.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isoText } from '../../domain/units/instant.ts';
import { executionEffects } from './effects/effects.ts';
import { type ChainTransaction, lockTransaction } from '../../store/chain-transactions.ts';
import { changeTransactionState } from '../../store/transaction-changes.ts';
import { changeExecution, type Execution } from '../../store/executions.ts';
import { lockLiveExecution } from '../../store/proposal-executions.ts';
import { setExecutionSent } from '../../store/proposal-changes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import type { ServiceContext } from '../context.ts';
import { requestedEffect } from './prefetch.ts';
import { publishExecution, type FreezeRequest } from './freeze-execution.ts';
import { differencesFromFrozen } from './frozen-execution.ts';
import { namedCosigners, openExecution, requireExecutor } from './open-execution.ts';
import { requireSignatures, signersOf } from '../../domain/execution/signatures.ts';

/** There is no transaction to send yet: it has to be frozen first. */
export class NotFrozenError extends Error {
  override readonly name = 'NothingFrozen';
}

export interface Executed {
  readonly execution: Execution;
  readonly transaction: ChainTransaction;
}

/**
 * Has the frozen transaction of a proposal sent once everyone it names has signed. Raises FROZEN_FOR_ANOTHER_ACTION,
 * INSUFFICIENT_SIGNATURES, MAX_ASSETS_REACHED, what `openExecution`, `namedCosigners` and `requireExecutor` raise; throws
 * NothingFrozen.
 */
export async function executeProposal(
  work: TransactionContext,
  context: ServiceContext,
  wish: FreezeRequest,
): Promise<Executed> {
  const { tx, now } = work;
  const { ids, networkId } = context;
  const executable = await openExecution(work, wish.caller, wish.proposalId);
  const execution = await lockLiveExecution(tx, wish.proposalId);
  if (!execution) throw new NotFrozenError(`proposal ${wish.proposalId} has no frozen transaction`);
  const transaction = await lockTransaction(tx, execution.transactionId);
  if (!transaction) throw new Error(`execution ${execution.id} has no transaction`);
  // Since it was frozen a cosigner may have taken stakes back.
  const cosigners = await namedCosigners(tx, executable, wish.params.cosigners, networkId, signaturesMissing);
  await requireExecutor(tx, executable, wish.executor, execution.partner?.wallet ?? null);
  const asked = await requestedEffect(tx, executable.proposal, wish.params);
  const errors = differencesFromFrozen(execution, asked, cosigners);
  if (errors.length > 0) throw new ServiceError('FROZEN_FOR_ANOTHER_ACTION', { errors, ...toSign(transaction) });
  if (transaction.expiresAt <= now) throw new ServiceError('EXECUTION_CLOSED');
  requireAllSigned(execution, transaction);

  await executionEffects[execution.effect.type].reserve?.(tx, execution);
  const executedBy = wish.executor.address;
  await changeTransactionState(tx, transaction, { to: 'pending' }, now);
  await changeExecution(tx, execution, { status: 'SENT', executedBy });
  await setExecutionSent(tx, execution.proposalId, true, now);
  await enqueueWorkflowMessage({ tx, ids }, transaction.ownerWorkflow, { kind: 'signal', signal: 'witnessed' });
  const told = { event: 'EXECUTION_SENT', action: 'PROPOSAL_EXECUTED', transactionHash: transaction.hash } as const;
  await publishExecution(work, context, wish, execution, told);
  return { execution: { ...execution, status: 'SENT', executedBy }, transaction: { ...transaction, state: 'pending' } };
}

/** Throws INSUFFICIENT_SIGNATURES with who is missing and what they are to sign. */
function requireAllSigned(execution: Execution, transaction: ChainTransaction): void {
  const signed = new Set(transaction.witnesses.map(({ keyHash }) => keyHash));
  try {
    requireSignatures(signersOf(execution), signed);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new ServiceError(cause.code, { ...cause.details, ...toSign(transaction) }, { cause });
  }
}

function toSign({ hash, unsignedCbor, expiresAt, requiredSigners }: ChainTransaction) {
  return {
    transaction: {
      tx_hash: hash,
      status: 'awaiting_signatures',
      block_height: null,
      unsigned_tx: unsignedCbor,
      expires_at: isoText(expiresAt),
      required_signers: requiredSigners,
    },
  };
}
