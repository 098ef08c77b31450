import type { ColumnType, Generated } from 'kysely';
import type { FailureReason, ProposalStatus, ProposalType } from '../../../proposals/rules/proposal.ts';
import type { GovernanceThresholds } from '../../../vaults/rules/vault.ts';
import type { VoteDecision, VoteStatus } from '../../../votes/rules/vote.ts';
import type { Amount, AmountTexts, Json, NullableJson, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

/** The terms of an effect, amounts as text; null where the proposal leaves a term open. */
export type StoredTerms = Readonly<Record<string, string | null>>;
/** Vote sums as text. */
export interface StoredTally extends AmountTexts<'approve' | 'reject'> {
  readonly voters: string | number;
  readonly quorumBase: string;
  readonly circulating: string;
}

export interface ProposalsTable {
  id: string;
  vault_id: string;
  proposer: string;
  title: string;
  description: string;
  type: ProposalType;
  asset_ids: string[];
  /** Amounts as text. */
  terms: Json<StoredTerms>;
  /** Basis points as text. */
  thresholds: Json<AmountTexts<keyof GovernanceThresholds>>;
  voting_seconds: number;
  lock_seconds: number;
  execution_seconds: number;
  required_cosigners: number;
  status: ProposalStatus;
  failure_reason: FailureReason | null;
  draft_expires_at: Timestamp;
  /** Endorsing power when voting opened, in base units. */
  opened_with: ColumnType<string | null, bigint | null | undefined, bigint>;
  voting_starts_at: NullableTimestamp;
  voting_ends_at: NullableTimestamp;
  lock_ends_at: NullableTimestamp;
  execution_ends_at: NullableTimestamp;
  /** Set when voting is closed: the sums that decide the outcome. */
  final_tally: NullableJson<StoredTally>;
  /** The anchored fact of the closed vote, and the Merkle root over its live votes; null when there were none. */
  closing_fact_id: NullableText;
  votes_root: NullableText;
  ended_at: NullableTimestamp;
  /** Its execution was submitted and is on the ledger, or can still reach it. */
  execution_sent: Generated<boolean>;
  /** When its workflow released the stakes. */
  released_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface EndorsementsTable {
  id: string;
  proposal_id: string;
  wallet: string;
  created_at: Timestamp;
}

export interface VotesTable {
  id: string;
  proposal_id: string;
  wallet: string;
  decision: VoteDecision;
  /** Base units. */
  amount: Amount;
  status: VoteStatus;
  cast_at: Timestamp;
  /** Stays when the vote is revoked; null again after a rollback. */
  confirmed_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
  /** These three are the wallet's signature (CIP-8, CBOR hex); null when the wallet did not sign the vote. */
  nonce: string | null;
  signature: string | null;
  signing_key: string | null;
}

export interface VoteStakesTable {
  vote_id: string;
  stake_id: string;
  amount: Amount;
}

export interface ProposalTables {
  proposals: ProposalsTable;
  endorsements: EndorsementsTable;
  votes: VotesTable;
  vote_stakes: VoteStakesTable;
}
