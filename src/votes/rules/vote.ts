import { type ErrorCode } from '../../platform/errors/errors.ts';
import { type BaseUnits } from '../../platform/units/money.ts';
import { transitions } from '../../platform/states/transitions.ts';

export const voteDecisions = ['APPROVE', 'REJECT'] as const;
export type VoteDecision = (typeof voteDecisions)[number];

export const voteStatuses = ['CAST', 'CONFIRMED', 'REVOKED'] as const;
export type VoteStatus = (typeof voteStatuses)[number];

/** The next status of a vote. Throws INVALID_TRANSITION. CONFIRMED → CAST reverts a vote whose anchor was rolled back (design D6). */
export const voteTransition = transitions<VoteStatus>(
  'vote',
  { CAST: ['CONFIRMED', 'REVOKED'], CONFIRMED: ['REVOKED'], REVOKED: [] },
  { CONFIRMED: ['CAST'] },
);

/** Whether the vote counts. It counts before its anchor is confirmed (design D26). */
export function isLiveVote(status: VoteStatus): boolean {
  return status !== 'REVOKED';
}

/** The error code if the vote cannot be revoked while voting is open; `null` means that no vote exists. Undefined if it can. */
export function revocationRefusal(status: VoteStatus | null): ErrorCode | undefined {
  if (status === null) return 'VOTE_NOT_FOUND';
  return isLiveVote(status) ? undefined : 'VOTE_ALREADY_REVOKED';
}

const decisions = new Map<string, VoteDecision>([
  ['yes', 'APPROVE'],
  ['approve', 'APPROVE'],
  ['no', 'REJECT'],
  ['reject', 'REJECT'],
]);

/** Parses yes, no, approve or reject, in any case (design D25); undefined for any other text. */
export function parseDecision(text: string): VoteDecision | undefined {
  return decisions.get(text.toLowerCase());
}

/** A vote's signature by its wallet, from CIP-30 `signData`: COSE_Sign1 and COSE_Key in CBOR hex. */
export interface VoteSignature {
  /** Chosen by the wallet; each of its votes on the proposal needs a new one. */
  readonly nonce: string;
  readonly signature: string;
  readonly key: string;
}

export interface SignedVote extends Pick<VoteSignature, 'nonce'> {
  readonly proposalId: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
}

/** The text that a wallet signs to vote: the decision as stored, the amount in base units. */
export function voteMessage({ proposalId, decision, amount, nonce }: SignedVote): string {
  return `vote:${proposalId}:${decision}:${amount}:${nonce}`;
}
