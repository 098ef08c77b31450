import type { Caller } from '../access/rules.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import type { VoteDecision, VoteSignature } from './rules.ts';
import type { WriteLocks } from '../anchoring/anchors.ts';
import type { NewVote } from './queries/votes.ts';
import type { ActingWallet } from '../access/acting-wallet.ts';

/** A vote to be cast. */
export interface VoteInput {
  readonly proposalId: string;
  readonly vaultId: string;
  readonly voter: ActingWallet;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  /** The verified signature of the wallet; null when the wallet did not sign its vote. */
  readonly signed: VoteSignature | null;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** A vote that will be recorded, and the id of the vote of the same wallet that it replaces. */
export interface AcceptedVote {
  readonly input: VoteInput;
  readonly vote: NewVote;
  readonly replaces: string | null;
}

/** The locks that casting or revoking a vote needs: its proposal stays open, and its wallet's stakes do not change. */
export function voteLocks({
  proposalId,
  vaultId,
  wallet,
}: Record<'proposalId' | 'vaultId' | 'wallet', string>): WriteLocks {
  return { lock: `proposal:${proposalId}`, mode: 'shared', stakesOf: { vaultId, wallet } };
}
