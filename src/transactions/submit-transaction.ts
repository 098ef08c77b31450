import { type LedgerInput, type Candidate, preflight } from '../cardano/build/preflight.ts';
import { isFinalRefusal, type LedgerRule, mayChange, refusalText } from '../cardano/ledger/ledger-rules.ts';
import { readNetworkState } from '../cardano/ledger/network-state.ts';
import { slotAt } from '../cardano/ledger/slots.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import { memoize } from '../platform/async.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import { checkPrices } from '../prices/fresh-price.ts';
import { unsentClaimsBefore } from '../termination/queries/claims.ts';
import { findInputProblem } from './add-witnesses.ts';
import type { ChainTransaction } from './queries/transactions.ts';
import { recordFailure, recordSubmission, type Submission } from './submission.ts';
import { isSignedByWallets, type TransactionKind, refText } from './rules.ts';
import { signIfAllowed } from './sign.ts';
import { spentOutputs } from './spent-outputs.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Submits the recorded bytes, unless the transaction has been confirmed or ended meanwhile. The bytes are stored before they are
 * submitted and never change, so submitting twice cannot move anything twice.
 */
export async function submitTransaction(
  context: WorkerContext,
  recorded: ChainTransaction,
  now: Instant,
): Promise<Submission> {
  const sent = await sendTransaction(context, recorded, now);
  return sent === 'accepted' ? recordSubmission(context, [recorded], { refusal: null, now }) : sent;
}

/** As `submitTransaction`, but what the ledger has accepted is not recorded yet: the caller records it, with others. */
export async function sendTransaction(
  context: WorkerContext,
  recorded: ChainTransaction,
  now: Instant,
): Promise<Submission | 'accepted'> {
  if (!canBeSubmitted(recorded)) {
    // The owner may have sent it.
    await checkPrices(context, recorded, now);
    return 'done';
  }
  // Blocks are read from the first followed one on; nobody would see a transaction that is confirmed before it.
  if ((await followedTip(context.db)) === null) return { unclear: 'the ledger is not followed yet' };
  const chain = await context.networkState();
  const slot = slotAt(chain.anchor, now);
  if (slot >= recorded.ttlSlot) return 'done';
  // A claim may spend what another one leaves: that one is sent first, whichever comes first here.
  for (const earlier of await unsentClaimsBefore(context.db, recorded)) await submitTransaction(context, earlier, now);

  const spent = memoize(() => spentOutputs(context, recorded.inputs));
  const signed = await signIfAllowed(context, recorded, { slot, chain, spent, now });
  if (signed.kind === 'unsigned') return signed.submission;
  const { signedCbor } = signed;
  // A wallet's transaction was evaluated with its signatures, and outputs of a wallet that carry a script are never chosen.
  // Inputs that the ledger does not know are left to it.
  const known = recorded.signer === 'platform' ? await spent() : new Map<string, LedgerInput>();
  const inputs = recorded.inputs.map((input) => known.get(refText(input)) ?? input);
  const violation = await currentViolation(context, { signedCbor, inputs, slot, context: chain });
  if (violation) return recordFailure(context, recorded, { reason: violation, now });

  await checkPrices(context, recorded, now);
  const result = await context.ledger.submit(signedCbor);
  if (result.kind === 'unknown') return { unclear: 'the ledger gave no clear response', code: 'LEDGER_UNAVAILABLE' };
  if (result.kind === 'refused') return examineRefusal(context, recorded, result.rules, now);
  return 'accepted';
}

/**
 * Fails a refused transaction of which an input was spent, or that breaks a ledger rule. Another one may still be confirmed: its mempool
 * has it from an earlier try, or it is kept with the reason until its validity ends.
 */
async function examineRefusal(
  context: WorkerContext,
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
 * the others need not spend an input of it, so that a refused one that is confirmed nevertheless would be confirmed as well.
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

/**
 * Which rule of the ledger a signed transaction breaks, in words; null when it breaks none. The cached network state may be of the epoch before, so a
 * violation is checked again with the current one.
 */
async function currentViolation(context: WorkerContext, candidate: Candidate): Promise<string | null> {
  if (!violationOf(candidate)) return null;
  return violationOf({ ...candidate, context: await readNetworkState(context) });
}

/** The ledger rule that the transaction breaks. */
function violationOf(candidate: Candidate): string | null {
  try {
    preflight(candidate);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `the ledger would reject it: ${String(error.details?.['reason'])}`;
  }
}
