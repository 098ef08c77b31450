import { type Candidate, preflight } from '../cardano/build/preflight.ts';
import { readNetworkState } from '../cardano/ledger/network-state.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { SubmissionContext } from './submission.ts';

/**
 * Which rule of the ledger a signed transaction breaks, in words; null when it breaks none. The cached network state may be of the epoch before, so a
 * violation is checked again with the current one.
 */
export async function currentViolation(context: SubmissionContext, candidate: Candidate): Promise<string | null> {
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
    return `the ledger would refuse it: ${String(error.details?.['reason'])}`;
  }
}
