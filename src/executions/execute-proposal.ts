import { lockAssetRows } from '../assets/queries/assets.ts';
import { paymentKeyHashOf } from '../cardano/scripts/address.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { executionEffects } from './effects.ts';
import {
  type ExecutableProposal,
  lockExecutableProposal,
  requireExecutor,
  cosignerOf,
  type ExecutionInput,
  marketValue,
  type ExecutionPrefetch,
  requestedEffect,
  publishExecution,
} from './plan-execution.ts';
import { canStillConfirm } from './frozen-execution.ts';
import { namedCosigners } from './cosigners.ts';
import { changeExecution, type Execution } from './queries.ts';
import {
  requireEligible,
  requireEnough,
  signaturesMissing,
  cosignersBesidePartner,
  missingSigners,
  signingLeaseEnd,
} from './rules/cosigners.ts';
import { cosigningRules, differencesFromFrozen, hasSigningLease } from './rules/execution.ts';
import { boughtAsset, isPriceCompared } from './rules/market-value.ts';
import type { Transaction } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { DetailsOf, ErrorCode } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { type Instant, instant, isoText } from '../platform/units/time.ts';
import { setExecutionSent } from '../proposals/queries/proposals.ts';
import { lockLiveExecution, countWaitingExecutions, firstFreezes } from '../proposals/queries/proposal-executions.ts';
import { requireApproved } from '../proposals/rules/approval.ts';
import { type ChainTransaction, lockTransaction } from '../transactions/queries/transactions.ts';
import { changeTransactionState } from '../transactions/queries/changes.ts';
import { countSignatures } from '../transactions/rules.ts';

/** The proposal has no frozen transaction to submit. */
export class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';
}

/** A refusal to submit a frozen transaction, which still takes signatures. */
export class FrozenExecutionError extends ServiceError {
  readonly transaction: ChainTransaction;

  constructor(code: ErrorCode, details: DetailsOf<ErrorCode>, transaction: ChainTransaction) {
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
  settings: ServiceContext,
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
  settings: ServiceContext,
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

/** So many of a vault hold an output of the operator, for days perhaps. No number of all vaults is a bound: a few could then stop the others. */
const MOST_OF_VAULT = 3;

/**
 * Whoever governs a vault passes as many proposals as they like, and each execution holds what pays for it until its phase ends. Throws
 * SERVICE_NOT_READY while too many of the vault hold outputs of the operator, which is null where others pay.
 */
export async function requireBelowOperatorLimit(
  tx: Transaction,
  vaultId: string,
  operator: { readonly address: string } | null,
  { inputs }: BuiltTransaction,
): Promise<void> {
  if (!operator || !inputs.some(({ address }) => address === operator.address)) return;
  await lockExclusive(tx, `vault:${vaultId}:executions`);
  if ((await countWaitingExecutions(tx, vaultId, operator.address)) < MOST_OF_VAULT) return;
  throw new ServiceError('SERVICE_NOT_READY', {
    waitingFor: 'signatures of other executions of the vault that the platform pays for',
    retryAfterSeconds: 600,
  });
}

/** What another one is to replace. */
interface ReplacedExecution {
  readonly frozen: Execution;
  readonly executable: ExecutableProposal;
  /** The buyer, seller or holder of the new one. */
  readonly partner: string | null;
}

/**
 * Throws EXECUTION_NOT_REPLACEABLE while another wallet has a signing lease: whoever disagrees could otherwise void them
 * again and again.
 */
export async function requireReplaceable(
  context: TransactionContext,
  { executor }: ExecutionInput,
  { frozen, executable, partner }: ReplacedExecution,
  prefetch: ExecutionPrefetch,
): Promise<void> {
  const { tx, now } = context;
  const freezer = { wallet: frozen.frozenBy, keyHash: paymentKeyHashOf(frozen.frozenBy) };
  if (freezer.keyHash === executor.paymentKeyHash) return;
  const endsAt = await leaseEnd(context, executable, freezer.keyHash);
  // Neither has a buyer or seller alone, nor dust, because wallets cost nothing.
  if (now >= endsAt || !hasSigningLease(await cosignerOf(tx, executable, freezer), executable)) return;
  const isSamePartner = partner === (frozen.partner?.wallet ?? null);
  if (isSamePartner && !(await canStillConfirm(context, frozen, prefetch))) return;
  throw new ServiceError('EXECUTION_NOT_REPLACEABLE', { frozenBy: freezer.wallet, replaceableFrom: isoText(endsAt) });
}

/** When the signing lease of a key ends. One key has any number of addresses, and one lease. */
async function leaseEnd(
  { tx }: TransactionContext,
  { proposal: { id, phases } }: ExecutableProposal,
  keyHash: string,
): Promise<Instant> {
  if (!phases) throw new Error(`proposal ${id} has no phases`);
  const ofKey = (await firstFreezes(tx, id)).filter(({ wallet }) => paymentKeyHashOf(wallet) === keyHash);
  return signingLeaseEnd(instant(Math.min(...ofKey.map(({ at }) => at))), phases.execution);
}
