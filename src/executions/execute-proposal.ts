import { boughtAsset, isPriceCompared } from './rules/market-value.ts';
import { requireApproved } from '../proposals/rules/approval.ts';
import { requireEligible, requireEnough, signaturesMissing } from './rules/named-cosigners.ts';
import { cosigningRules } from './rules/executor-rules.ts';
import { differencesFromFrozen } from './rules/frozen-differences.ts';
import { cosignersBesidePartner, missingSigners } from './rules/required-signatures.ts';
import { countSignatures } from '../transactions/rules/signatures.ts';
import { type ErrorCode, ServiceError } from '../platform/errors/errors.ts';
import { lockAssetRows } from '../assets/queries/assets.ts';
import { type ChainTransaction, lockTransaction } from '../transactions/queries/chain-transactions.ts';
import { changeTransactionState } from '../transactions/queries/transaction-changes.ts';
import { changeExecution, type Execution } from './queries/executions.ts';
import { lockLiveExecution } from '../proposals/queries/proposal-executions.ts';
import { setExecutionSent } from '../proposals/queries/proposal-changes.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import type { ServiceContext } from '../context.ts';
import { executionEffects } from './effects/effects-by-type.ts';
import { type ExecutableProposal, lockExecutableProposal, requireExecutor } from './executable-proposal.ts';
import type { ExecutionInput } from './execution-params.ts';
import { marketValue } from './market-value.ts';
import { namedCosigners } from './named-cosigners.ts';
import { type ExecutionPrefetch, requestedEffect } from './prefetch.ts';
import { publishExecution } from './publish-execution.ts';

/** The proposal has no frozen transaction to submit. */
export class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';
}

/** A refusal to submit a frozen transaction, which still takes signatures. */
export class FrozenExecutionError extends ServiceError {
  readonly transaction: ChainTransaction;

  constructor(code: ErrorCode, details: ServiceError['details'], transaction: ChainTransaction) {
    super(code, details);
    this.transaction = transaction;
  }
}

export interface SubmittedExecution {
  readonly execution: Execution;
  readonly transaction: ChainTransaction;
}

/**
 * Submits the frozen transaction of a proposal once enough of its signers have signed. Throws FROZEN_FOR_ANOTHER_ACTION and
 * INSUFFICIENT_SIGNATURES as FrozenExecutionError, EXECUTION_CLOSED, MAX_ASSETS_REACHED, NotFrozenError, and what
 * `lockExecutableProposal`, `namedCosigners`, `requireEligible`, `requireExecutor` and `requireFairPrice` throw.
 */
export async function executeProposal(
  context: TransactionContext,
  settings: Pick<ServiceContext, 'networkId' | 'durationBounds'>,
  input: ExecutionInput,
  prices: ExecutionPrefetch['prices'],
): Promise<SubmittedExecution> {
  const { tx, now } = context;
  const { params, executor, proposalId } = input;
  const executable = await lockExecutableProposal(context, input.caller, proposalId);
  const execution = await lockLiveExecution(tx, proposalId);
  if (!execution) throw new NotFrozenError(`proposal ${proposalId} has no frozen transaction`);
  const transaction = await lockTransaction(tx, execution.transactionId);
  if (!transaction) throw new Error(`execution ${execution.id} has no transaction`);
  const cosigners = await namedCosigners(tx, executable, params.cosigners, settings.networkId);
  const rules = cosigningRules(executable);
  requireEnough(cosigners, rules, signaturesMissing);
  await requireExecutor(tx, executable, executor, execution.partner?.wallet ?? null);
  const effect = await requestedEffect(tx, executable.proposal, params);
  const { requiredCosigners } = params;
  const errors = differencesFromFrozen(execution, { effect, cosigners, requiredCosigners });
  if (errors.length > 0) throw new FrozenExecutionError('FROZEN_FOR_ANOTHER_ACTION', { errors }, transaction);
  if (transaction.expiresAt <= now) throw new ServiceError('EXECUTION_CLOSED');
  // Some may have unstaked since the transaction was frozen.
  const eligible = requireEligible(cosigners, rules, execution.requiredCosigners);
  requireSignatures({ ...execution, cosigners: eligible }, transaction);
  await requireFairPrice(context, settings, { executable, execution }, prices);

  await executionEffects[execution.effect.type].reserve?.(tx, execution);
  const executedBy = executor.address;
  await changeTransactionState(context, transaction, { to: 'pending' });
  await changeExecution(tx, execution, { status: 'SENT', executedBy });
  await setExecutionSent(context, proposalId, true);
  await enqueueWorkflowMessage(context, transaction.ownerWorkflow, { kind: 'signal', signal: 'witnessed' });
  const names = { event: 'EXECUTION_SENT', action: 'PROPOSAL_EXECUTED' } as const;
  await publishExecution(context, input, { ...names, execution, transactionHash: transaction.hash });
  return { execution: { ...execution, status: 'SENT', executedBy }, transaction: { ...transaction, state: 'pending' } };
}

/**
 * The market may have moved since the transaction was frozen at a price that is compared with it. Throws PRICE_BELOW_VALUATION,
 * PRICE_ABOVE_VALUATION and PRICE_UNAVAILABLE, as freezing does.
 */
async function requireFairPrice(
  context: TransactionContext,
  settings: Pick<ServiceContext, 'durationBounds'>,
  { executable, execution }: { readonly executable: ExecutableProposal; readonly execution: Execution },
  prices: ExecutionPrefetch['prices'],
): Promise<void> {
  const { proposal, vault } = executable;
  const { effect: approved } = proposal;
  if (!isPriceCompared(approved, vault)) return;
  const assets = await lockAssetRows(context.tx, approved.assetIds);
  const bought = approved.type === 'BUY' ? boughtAsset(approved, prices) : null;
  const valuation = await marketValue(context, settings, { approved, assets, vault, bought }, prices);
  requireApproved(approved, execution.effect, valuation);
}

/**
 * Throws INSUFFICIENT_SIGNATURES with {required, present, missing, missingSigners} (design D28). Only the cosigners of `execution`
 * count, which are those who may still cosign.
 */
function requireSignatures(execution: Execution, transaction: ChainTransaction): void {
  const { requiredCosigners: required } = execution;
  const signed = new Set(transaction.witnesses.map(({ keyHash }) => keyHash));
  const cosigners = transaction.cosigners && cosignersBesidePartner(execution, required);
  const count = countSignatures({ ...transaction, cosigners }, signed);
  if (count.missing === 0) return;
  const details = { ...count, missingSigners: missingSigners(execution, required, signed) };
  throw new FrozenExecutionError('INSUFFICIENT_SIGNATURES', details, transaction);
}
