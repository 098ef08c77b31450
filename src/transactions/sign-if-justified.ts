import { errorRegistry, ServiceError } from '../platform/errors/errors.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type ChainTransaction, lockTransaction } from './queries/chain-transactions.ts';
import { recordMove } from '../ledger-follower/effects/transactions.ts';
import { holdForOperator } from '../vaults/holds.ts';
import { findInputProblem } from './find-input-problem.ts';
import { recordFailure } from './record-submission.ts';
import { isStepOfVault } from './step-of-vault.ts';
import { type SigningMoment, signRecorded, UnknownInputError } from './sign-transaction.ts';
import type { Submission, SubmissionContext } from './submission.ts';

/** The bytes to submit, or what came of a transaction without them. */
type Signing =
  | { readonly kind: 'signed'; readonly signedCbor: string }
  | { readonly kind: 'unsigned'; readonly submission: Submission };

interface Moment extends SigningMoment {
  readonly now: Instant;
}

/**
 * The signed bytes of a recorded transaction. One that nothing justifies fails unsigned, is an alarm, and holds its vault for an operator
 * (design D44): what replaces it is judged again. One for which the operator has nothing left today waits, or fails unsigned where the platform
 * builds it again by itself, so that it holds nothing meanwhile. Throws LEDGER_UNAVAILABLE.
 */
export async function signIfJustified(
  context: SubmissionContext,
  recorded: ChainTransaction,
  moment: Moment,
): Promise<Signing> {
  if (recorded.signedCbor !== null) return { kind: 'signed', signedCbor: recorded.signedCbor };
  try {
    const signedCbor = await signRecorded(context, recorded, moment);
    return signedCbor === null ? { kind: 'unsigned', submission: 'done' } : { kind: 'signed', signedCbor };
  } catch (error) {
    return { kind: 'unsigned', submission: await handleUnsigned(context, recorded, error, moment.now) };
  }
}

/** Throws what says nothing about the transaction. */
async function handleUnsigned(
  context: SubmissionContext,
  recorded: ChainTransaction,
  error: unknown,
  now: Instant,
): Promise<Submission> {
  if (error instanceof UnknownInputError) return waitForInput(context, recorded, error.message, now);
  const code = error instanceof ServiceError ? error.code : null;
  if (code === 'OPERATOR_BUDGET_SPENT') return waitForRoom(context, recorded, now);
  if (!(error instanceof ServiceError) || code !== 'TRANSACTION_NOT_JUSTIFIED') throw error;
  return refuseToSign(context, recorded, error, now);
}

/** What the platform builds by itself gives back the outputs that it holds; the signatures of others, and the order of anchors, are kept. */
async function waitForRoom(context: SubmissionContext, recorded: ChainTransaction, now: Instant): Promise<Submission> {
  const code = 'OPERATOR_BUDGET_SPENT';
  const reason = errorRegistry[code].message;
  if (recorded.signer !== 'platform' || !isStepOfVault(recorded)) return { unclear: reason, code };
  return failUnsigned(context, recorded, { reason, now });
}

/** An input that is not on the ledger may come back after a rollback, unless something else has spent it for good. */
async function waitForInput(
  context: SubmissionContext,
  recorded: ChainTransaction,
  reason: string,
  now: Instant,
): Promise<Submission> {
  const problem = await findInputProblem(context, recorded);
  if (problem?.kind !== 'spent') return { unclear: problem?.reason ?? reason };
  return recordFailure(context, recorded, { reason: problem.reason, conflict: problem.conflict, now });
}

async function refuseToSign(
  context: SubmissionContext,
  recorded: ChainTransaction,
  { details, cause }: ServiceError,
  now: Instant,
): Promise<'done'> {
  const reason = String(details?.['reason']);
  context.onUnjustified(recorded, reason, cause);
  const failure = { reason: `the platform refused to sign it: ${reason}`, now };
  return failUnsigned(context, recorded, { ...failure, hold: 'unjustified_transaction' });
}

interface UnsignedFailure {
  readonly reason: string;
  readonly hold?: 'unjustified_transaction';
  readonly now: Instant;
}

/** A forged row may lack what its kind comes with: that what its end changes cannot be recorded then keeps no alarm and no hold away. */
async function failUnsigned(
  { unitOfWork, onQuarantine }: SubmissionContext,
  { id, vaultId }: ChainTransaction,
  { reason, hold, now }: UnsignedFailure,
): Promise<'done'> {
  await unitOfWork(async (context) => {
    const current = await lockTransaction(context.tx, id);
    if (current === null || current.signedCbor !== null) return;
    const work = { ...context, now };
    if (hold && vaultId !== null) await holdForOperator(work, vaultId, hold);
    if (current.state === 'pending' || current.state === 'submitted')
      await recordMove(work, current, { to: 'failed', reason }, onQuarantine);
  });
  return 'done';
}
