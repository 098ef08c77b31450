import { atField, ServiceError } from '../../platform/errors/errors.ts';
import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import type { Instant } from '../../platform/units/instant.ts';

/** How many failed executions of a proposal leave it PASSED (design D50). The next one fails it. */
const FORGIVEN_FAILURES = 3;

/** How many executions of a proposal may fail with one buyer or seller whom its vote did not name. */
const FAILURES_OF_A_PARTNER = 2;

interface FailedProposal {
  /** The approved one. */
  readonly effect: ProposalEffect;
  readonly failures: number;
  readonly executionEndsAt: Instant;
}

/**
 * Whether a proposal whose execution has failed may be executed again: in its execution phase, and not after too many failures
 * of those whom the vote named. Where it left the buyer or seller open, strangers could fail it otherwise.
 */
export function mayExecuteAgain({ effect, failures, executionEndsAt }: FailedProposal, now: Instant): boolean {
  return (isPartnerOpen(effect) || failures <= FORGIVEN_FAILURES) && now < executionEndsAt;
}

/** Throws PARTNER_REFUSED for a buyer or seller whom the vote did not name after too many failed executions with that wallet. */
export function requirePartnerMayTry(
  effect: ProposalEffect,
  { wallet, failures }: { readonly wallet: string; readonly failures: number },
): void {
  if (!isRefusedPartner(effect, failures)) return;
  const field = effect.type === 'BUY' ? 'action.details.seller_address' : 'action.details.buyer_address';
  throw atField(new ServiceError('PARTNER_REFUSED', { wallet, failures }), field);
}

/** Whether the vote did not name the buyer or seller, and too many executions with them have failed. */
export function isRefusedPartner(effect: ProposalEffect, failures: number): boolean {
  return isPartnerOpen(effect) && failures >= FAILURES_OF_A_PARTNER;
}

/** Whether the vote left the buyer or seller open, so that any wallet can be the partner of an execution. */
function isPartnerOpen({ terms }: ProposalEffect): boolean {
  if ('buyerAddress' in terms) return terms.buyerAddress === null;
  return 'sellerAddress' in terms && terms.sellerAddress === null;
}
