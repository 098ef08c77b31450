import { ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type ChainTransaction, lockTransaction } from '../../store/chain-transactions.ts';
import { moveTransaction } from '../on-ledger/transactions.ts';
import { holdForOperator } from '../vaults/holds.ts';
import { findInputProblem } from './find-input-problem.ts';
import { recordFailure } from './record-submission.ts';
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
 * (design D44): what replaces it is judged again. Throws LEDGER_UNAVAILABLE.
 */
export async function signIfJustified(
  context: SubmissionContext,
  recorded: ChainTransaction,
  moment: Moment,
): Promise<Signing> {
  if (recorded.signedCbor !== null) return { kind: 'signed', signedCbor: recorded.signedCbor };
  try {
    return { kind: 'signed', signedCbor: await signRecorded(context, recorded, moment) };
  } catch (error) {
    const { now } = moment;
    if (error instanceof UnknownInputError)
      return { kind: 'unsigned', submission: await waitForInput(context, recorded, error.message, now) };
    if (!(error instanceof ServiceError) || error.code !== 'TRANSACTION_NOT_JUSTIFIED') throw error;
    await refuseToSign(context, recorded, String(error.details?.['reason']), now);
    return { kind: 'unsigned', submission: 'done' };
  }
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
  { unitOfWork, onUnjustified }: SubmissionContext,
  recorded: ChainTransaction,
  reason: string,
  now: Instant,
): Promise<void> {
  onUnjustified(recorded, reason);
  await unitOfWork(async (context) => {
    const current = await lockTransaction(context.tx, recorded.id);
    if (current === null || current.signedCbor !== null) return;
    const work = { ...context, now };
    if (recorded.vaultId !== null) await holdForOperator(work, recorded.vaultId, 'unjustified_transaction');
    if (current.state === 'pending' || current.state === 'submitted')
      await moveTransaction(work, current, { to: 'failed', reason: `the platform refused to sign it: ${reason}` });
  });
}
