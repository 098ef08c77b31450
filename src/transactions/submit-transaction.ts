import type { LedgerInput } from '../cardano/build/preflight.ts';
import { isFinalRefusal, type LedgerRule, mayChange, refusalText } from '../cardano/ledger/ledger-rules.ts';
import { slotAt } from '../cardano/ledger/slots.ts';
import { askedOnce } from '../platform/async/asked-once.ts';
import { isSignedByWallets } from './rules/signatures.ts';
import type { TransactionKind } from './rules/transaction-state.ts';
import { refText } from './rules/utxo-ref.ts';
import type { Instant } from '../platform/units/instant.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import type { ChainTransaction } from './queries/chain-transactions.ts';
import { unsentClaimsBefore } from '../termination/queries/chained-claims.ts';
import { checkPrices } from '../prices/check-prices.ts';
import { spentOutputs } from './spent-outputs.ts';
import { currentViolation } from './current-violation.ts';
import { findInputProblem } from './find-input-problem.ts';
import { recordFailure, recordSubmission } from './record-submission.ts';
import { signIfJustified } from './sign-if-justified.ts';
import type { Submission, SubmissionContext } from './submission.ts';

/**
 * Submits the recorded bytes, unless the transaction has landed or ended meanwhile. The bytes are stored before they are
 * submitted and never change, so submitting twice cannot move anything twice. Throws LEDGER_UNAVAILABLE.
 */
export async function submitTransaction(
  context: SubmissionContext,
  recorded: ChainTransaction,
  now: Instant,
): Promise<Submission> {
  const sent = await sendTransaction(context, recorded, now);
  return sent === 'accepted' ? recordSubmission(context, [recorded], { refusal: null, now }) : sent;
}

/** As `submitTransaction`, but what the ledger has accepted is not recorded yet: the caller records it, with others. */
export async function sendTransaction(
  context: SubmissionContext,
  recorded: ChainTransaction,
  now: Instant,
): Promise<Submission | 'accepted'> {
  if (!canBeSubmitted(recorded)) {
    // The owner may have sent it.
    await checkPrices(context, recorded, now);
    return 'done';
  }
  // Blocks are read from the first followed one on; nobody would see a transaction that lands before it.
  if ((await followedTip(context.db)) === null) return { unclear: 'the ledger is not followed yet' };
  const chain = await context.networkState();
  const slot = slotAt(chain.anchor, now);
  if (slot >= recorded.ttlSlot) return 'done';
  // A claim may spend what another one leaves: that one is sent first, whichever comes first here.
  for (const earlier of await unsentClaimsBefore(context.db, recorded)) await submitTransaction(context, earlier, now);

  const spent = askedOnce(() => spentOutputs(context, recorded.inputs));
  const signed = await signIfJustified(context, recorded, { slot, chain, spent, now });
  if (signed.kind === 'unsigned') return signed.submission;
  const { signedCbor } = signed;
  // A wallet's transaction was judged with its signatures, and outputs of a wallet that carry a script are never chosen.
  const inputs = recorded.signer === 'platform' ? await knownInputs(recorded, spent) : recorded.inputs;
  const violation = await currentViolation(context, { signedCbor, inputs, slot, context: chain });
  if (violation) return recordFailure(context, recorded, { reason: violation, now });

  await checkPrices(context, recorded, now);
  const result = await context.ledger.submit(signedCbor);
  if (result.kind === 'unknown') return { unclear: 'the ledger gave no clear response', code: 'LEDGER_UNAVAILABLE' };
  if (result.kind === 'refused') return examineRefusal(context, recorded, result.rules, now);
  return 'accepted';
}

/** The inputs as they are on the ledger; those that it does not know are left to it. */
async function knownInputs(
  { inputs }: ChainTransaction,
  spent: () => Promise<ReadonlyMap<string, LedgerInput>>,
): Promise<readonly LedgerInput[]> {
  const known = await spent();
  return inputs.map((input) => known.get(refText(input)) ?? input);
}

/**
 * Fails a refused transaction of which an input was spent, or that breaks a ledger rule. Another one may still land: its mempool
 * has it from an earlier try, or it is kept with the reason until its validity ends.
 */
async function examineRefusal(
  context: SubmissionContext,
  recorded: ChainTransaction,
  rules: readonly LedgerRule[],
  now: Instant,
): Promise<Submission> {
  const problem = await findInputProblem(context, recorded);
  if (problem?.kind === 'not yet') return { unclear: problem.reason };
  if (problem !== null) {
    const { reason, conflict } = problem;
    return recordFailure(context, recorded, { reason, conflict, now });
  }
  if (mayChange(rules) || (await context.ledger.transaction(recorded.hash)) !== null)
    return recordSubmission(context, [recorded], { refusal: recorded.refusal, now });
  const refusal = `the ledger refused it: ${refusalText(rules)}`;
  if (isFinalRefusal(rules) && !WAITS_FOR_ITS_VALIDITY.has(recorded.kind))
    return recordFailure(context, recorded, { reason: refusal, now });
  return recordSubmission(context, [recorded], { refusal, now });
}

/**
 * Kinds that only their validity ends. Anchors and fan-outs are built again at once, and would be refused again. What replaces one of
 * the others need not spend an input of it, so that a refused one that lands nevertheless would land beside it.
 */
const WAITS_FOR_ITS_VALIDITY: ReadonlySet<TransactionKind> = new Set([
  'anchor',
  'fan_out',
  'mint',
  'create_vault',
  'execute',
]);

/**
 * Whether the platform has every signature. It lacks those of a transaction that its wallet submitted itself and that was
 * rolled back before they were read from the ledger: only the wallet can submit that one again.
 */
function canBeSubmitted(recorded: ChainTransaction): boolean {
  const { state, signedCbor } = recorded;
  if (state !== 'pending' && state !== 'submitted') return false;
  return signedCbor !== null || isSignedByWallets(recorded);
}
