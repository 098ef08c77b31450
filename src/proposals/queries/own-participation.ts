import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { VoteStatus } from '../../votes/rules/vote.ts';
import type { AnchoredFactTransaction } from '../../anchoring/queries/anchor-batches.ts';
import { jsonDate, type JsonRow } from '../../platform/database/json-columns.ts';
import type { VotesTable } from '../../platform/database/tables/proposals.ts';
import type { ReaderScope } from '../../vaults/queries/visible-vaults.ts';
import { readVote, type Vote } from '../../votes/queries/votes.ts';
import { proposalPhases, votingPowerOf } from '../../votes/queries/voting-powers.ts';

/** Who reads proposals, and when. */
export interface ProposalReader {
  readonly scope: ReaderScope;
  /** Null for a key alone. */
  readonly wallet: { readonly address: string; readonly keyHash: string } | null;
  readonly now: Instant;
}

/** How a wallet takes part in a proposal. Amounts are in base units. */
export interface OwnParticipation {
  readonly wallet: string;
  /** What it has staked in the vault now. */
  readonly staked: BaseUnits;
  /** What it can vote with, of the stakes that it holds now. */
  readonly votingPower: BaseUnits;
  /** What counts of it in the quorum, also of stakes that have left since voting ended. */
  readonly countedPower: BaseUnits;
  readonly hasEndorsed: boolean;
  /** The status of its last vote; null when it never voted. */
  readonly lastVote: VoteStatus | null;
  /** How many executions with it as partner have failed. */
  readonly failedExecutions: number;
  /** Its live vote, with the anchored fact if there is one. */
  readonly vote: LiveVote | null;
}

interface LiveVote {
  readonly vote: Vote;
  readonly anchor: AnchoredFactTransaction | undefined;
}

interface OwnJson extends Pick<OwnParticipation, 'wallet' | 'hasEndorsed' | 'lastVote' | 'failedExecutions'> {
  readonly staked: string | null;
  readonly votingPower: string | null;
  readonly countedPower: string | null;
  readonly vote: LiveVoteJson | null;
}

export interface LiveVoteJson {
  readonly vote: JsonRow<Selectable<VotesTable>>;
  readonly anchor: AnchoredFactTransaction | null;
}

/**
 * The participation of the reader's wallet as a column of a statement that reads proposals of a vault. `staked` is the condition for a
 * stake `s` to count now.
 */
export function ownParticipation(
  { wallet }: ProposalReader,
  vaultId: RawBuilder<unknown>,
  staked: RawBuilder<unknown>,
): RawBuilder<OwnJson | null> {
  if (wallet === null) return sql<null>`null`;
  const own = sql`s.vault_id = ${vaultId} and s.wallet = ${wallet.address}`;
  // The last vote is found from the wallet's stakes: no index finds its revoked votes, and a proposal has many votes.
  return sql<OwnJson>`json_build_object(
    'wallet', ${wallet.address}::text,
    'staked', (select sum(s.voting_power)::text from stakes s where ${own} and ${staked}),
    'votingPower', (select sum(s.voting_power)::text from stakes s where ${own} and s.voting_power > 0
      and s.final_at < proposals.voting_starts_at and s.owner_alone_from > proposals.execution_ends_at),
    'countedPower', ${votingPowerOf(proposalPhases, wallet.address)}::text,
    'hasEndorsed', exists (select from endorsements where proposal_id = proposals.id and wallet = ${wallet.address}),
    'lastVote', (select v.status from (select distinct u.vote_id from stakes s join vote_stakes u on u.stake_id = s.id
      where ${own}) used join votes v on v.id = used.vote_id where v.proposal_id = proposals.id
      order by v.status = 'REVOKED' limit 1),
    'failedExecutions', (select count(*) from executions where proposal_id = proposals.id
      and executions.status = 'FAILED' and partner ->> 'keyHash' = ${wallet.keyHash}),
    'vote', ${liveVoteOf(wallet.address)})`;
}

/** The live vote of a wallet, with the anchored fact if there is one, as a column of a statement that reads proposals. */
export function liveVoteOf(wallet: string): RawBuilder<LiveVoteJson | null> {
  return sql`(select json_build_object('vote', to_jsonb(v) || jsonb_build_object('amount', v.amount::text),
      'anchor', (select json_build_object('text', fact.fact, 'hash', carrier.hash) from anchor_facts fact
        join anchor_batches batch on batch.id = fact.batch_id
        join chain_transactions carrier on carrier.id = batch.transaction_id where fact.id = v.id))
    from votes v where v.proposal_id = proposals.id and v.wallet = ${wallet} and v.revoked_at is null)`;
}

/** Reads the column of `ownParticipation`. */
export function readOwn({ staked, votingPower, countedPower, vote, ...own }: OwnJson): OwnParticipation {
  const amount = (text: string | null) => baseUnits(BigInt(text ?? 0));
  return {
    ...own,
    staked: amount(staked),
    votingPower: amount(votingPower),
    countedPower: amount(countedPower),
    vote: vote && readLiveVote(vote),
  };
}

/** Reads the column of `liveVoteOf`. */
export function readLiveVote({ vote: json, anchor }: LiveVoteJson): LiveVote {
  const vote = readVote({
    ...json,
    cast_at: new Date(json.cast_at),
    confirmed_at: jsonDate(json.confirmed_at),
    revoked_at: jsonDate(json.revoked_at),
  });
  return { vote, anchor: anchor ?? undefined };
}
