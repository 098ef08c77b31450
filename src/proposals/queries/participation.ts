import { type RawBuilder, type Selectable, sql, type Expression } from 'kysely';
import type { AnchoredFactTransaction } from '../../anchoring/queries/anchor-batches.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonDate, type JsonRow, jsonInstant, type JsonTime } from '../../platform/database/stored-json.ts';
import type { VotesTable } from '../../platform/database/tables/governance.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { Proposal } from './proposals.ts';
import { type ReaderScope, isVaultVisible } from '../../vaults/queries/viewed-vaults.ts';
import { type ListedVote, readVote, type Vote } from '../../votes/queries/votes.ts';
import { proposalPhases, votingPowerOf } from '../../votes/queries/voting-powers.ts';
import type { VoteStatus } from '../../votes/rules.ts';

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

interface LiveVoteJson {
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
function liveVoteOf(wallet: string): RawBuilder<LiveVoteJson | null> {
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
function readLiveVote({ vote: json, anchor }: LiveVoteJson): LiveVote {
  const vote = readVote({
    ...json,
    cast_at: new Date(json.cast_at),
    confirmed_at: jsonDate(json.confirmed_at),
    revoked_at: jsonDate(json.revoked_at),
  });
  return { vote, anchor: anchor ?? undefined };
}

/** What a wallet has staked in one vault, and its voting power at present. */
export interface VaultPower {
  readonly vaultId: string;
  readonly ftDecimals: number;
  /** Not yet returned to the wallet: in its script, or on the way to it. */
  readonly staked: BaseUnits;
  readonly votingPower: BaseUnits;
  readonly usedPower: BaseUnits;
}

/** The voting power of a wallet in one proposal, and its live vote there. */
export interface ProposalPower {
  readonly proposalId: string;
  /** Null until voting opens. */
  readonly votingStartsAt: Instant | null;
  readonly power: VaultPower;
  readonly vote: Omit<ListedVote, 'vaultId'> | null;
}

interface ProposalPowerJson extends Pick<VaultPower, 'vaultId' | 'ftDecimals'>, Pick<ProposalPower, 'proposalId'> {
  readonly votingStartsAt: JsonTime | null;
  readonly staked: string | null;
  readonly votingPower: string;
  readonly vote: LiveVoteJson | null;
}

interface ProposalPowerFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  readonly proposalId: string;
  /** What the wallet has staked in the vault of the proposal. */
  readonly staked: Expression<unknown>;
}

/** The power of a wallet in a proposal, as a column; null when there is none in a vault that the reader may see. */
export function proposalPower({ wallet, readerScope, proposalId, staked }: ProposalPowerFilter) {
  return sql<ProposalPowerJson | null>`(select json_build_object('proposalId', proposals.id, 'vaultId', proposals.vault_id,
      'ftDecimals', vaults.ft_decimals, 'votingStartsAt', voting_starts_at, 'staked', ${staked}::text,
      'votingPower', ${votingPowerOf(proposalPhases, wallet)}::text, 'vote', ${liveVoteOf(wallet)})
    from proposals join vaults on vaults.id = proposals.vault_id
    where proposals.id = ${proposalId} and ${isVaultVisible(sql.ref('proposals.vault_id'), readerScope)})`;
}

/** Reads the column of `proposalPower`. */
export function readProposalPower(json: ProposalPowerJson): ProposalPower {
  const { proposalId, votingStartsAt, vaultId, ftDecimals, staked, votingPower } = json;
  const vote = json.vote && { ...readLiveVote(json.vote), decimals: ftDecimals };
  return {
    proposalId,
    votingStartsAt: votingStartsAt === null ? null : jsonInstant(votingStartsAt),
    power: {
      vaultId,
      ftDecimals,
      staked: baseUnits(BigInt(staked ?? 0)),
      votingPower: baseUnits(BigInt(votingPower)),
      usedPower: vote?.vote.amount ?? baseUnits(0n),
    },
    vote,
  };
}

interface NewEndorsement {
  readonly id: string;
  readonly proposalId: string;
  readonly wallet: string;
  readonly createdAt: Instant;
}

/** Records an endorsement; returns false when the wallet has endorsed the proposal before. */
export async function insertEndorsement(tx: Transaction, endorsement: NewEndorsement): Promise<boolean> {
  const { id, proposalId, wallet, createdAt } = endorsement;
  const inserted = await tx
    .insertInto('endorsements')
    .values({ id, proposal_id: proposalId, wallet, created_at: new Date(createdAt) })
    .onConflict((conflict) => conflict.columns(['proposal_id', 'wallet']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The present voting power of the proposer and of everyone who endorses a proposal, counted as `stakedPower` counts. */
export async function endorsingPower(
  db: Db | Transaction,
  { id }: Pick<Proposal, 'id'>,
  now: Instant,
): Promise<BaseUnits> {
  const { rows } = await sql<{ power: string | null }>`
    select ${endorsingStakes(now)} as power from proposals where id = ${id}
  `.execute(db);
  return baseUnits(BigInt(rows[0]?.power ?? 0));
}

/** The rule of `endorsingPower` as a column of a statement that reads proposals; null for no power. */
export function endorsingStakes(now: Instant) {
  return sql<string | null>`(select sum(s.voting_power) from (
      select proposals.proposer as wallet
      union select wallet from endorsements where proposal_id = proposals.id
    ) behind join stakes s on s.vault_id = proposals.vault_id and s.wallet = behind.wallet
    where s.voting_power > 0 and s.owner_alone_from > ${new Date(now)})`;
}
