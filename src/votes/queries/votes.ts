import { type Selectable, sql, type ExpressionBuilder } from 'kysely';
import type { AnchoredFactTransaction } from '../../anchoring/queries/anchor-batches.ts';
import { anyOf, executeAsOne } from '../../platform/database/statements.ts';
import type { Db, Transaction, Database } from '../../platform/database/database.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import type { VotesTable } from '../../platform/database/tables/governance.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';
import { type VoteDecision, type VoteSignature, type VoteStatus, voteTransition, type StakeUse } from '../rules.ts';

export interface Vote {
  readonly id: string;
  readonly proposalId: string;
  readonly wallet: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  readonly status: VoteStatus;
  readonly castAt: Instant;
  readonly confirmedAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Null when the wallet did not sign the vote. */
  readonly signed: VoteSignature | null;
}

export interface NewVote extends Omit<Vote, 'status' | 'confirmedAt'> {
  readonly uses: readonly StakeUse[];
}

/** Inserts many votes, and the stakes they use. */
export async function insertVotes(tx: Transaction, votes: readonly NewVote[]): Promise<void> {
  const voteInsert = sql`
    insert into votes (id, proposal_id, wallet, decision, amount, status, cast_at, revoked_at,
      nonce, signature, signing_key)
    select id, proposal_id, wallet, decision, amount,
      case when revoked_at is null then 'CAST' else 'REVOKED' end, cast_at, revoked_at,
      nonce, signature, signing_key
    from unnest(
      ${votes.map(({ id }) => id)}::uuid[], ${votes.map(({ proposalId }) => proposalId)}::uuid[],
      ${votes.map(({ wallet }) => wallet)}::text[], ${votes.map(({ decision }) => decision)}::text[],
      ${votes.map(({ amount }) => amount)}::numeric[],
      ${votes.map(({ castAt }) => new Date(castAt))}::timestamptz[],
      ${votes.map(({ revokedAt }) => (revokedAt === null ? null : new Date(revokedAt)))}::timestamptz[],
      ${votes.map(({ signed }) => signed?.nonce ?? null)}::text[],
      ${votes.map(({ signed }) => signed?.signature ?? null)}::text[],
      ${votes.map(({ signed }) => signed?.key ?? null)}::text[]
    ) as vote (id, proposal_id, wallet, decision, amount, cast_at, revoked_at, nonce, signature, signing_key)
  `;
  const uses = votes.flatMap(({ id, uses: parts }) => parts.map((part) => ({ voteId: id, ...part })));
  const useInsert = sql`
    insert into vote_stakes (vote_id, stake_id, amount)
    select * from unnest(
      ${uses.map(({ voteId }) => voteId)}::uuid[], ${uses.map(({ stakeId }) => stakeId)}::uuid[],
      ${uses.map(({ amount }) => amount)}::numeric[]
    )
  `;
  await executeAsOne(tx, [voteInsert, useInsert]);
}

/** A nonce with which a wallet signed a vote on a proposal. */
export interface UsedNonce extends Pick<Vote, 'id' | 'proposalId' | 'wallet'> {
  readonly nonce: string;
}

/** Those of the nonces that a vote has used, each with its vote. */
export async function usedNonces(
  db: Db | Transaction,
  asked: readonly Omit<UsedNonce, 'id'>[],
): Promise<readonly UsedNonce[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<UsedNonce>`
    select id, proposal_id as "proposalId", wallet, nonce from votes join unnest(
      ${asked.map(({ proposalId }) => proposalId)}::uuid[], ${asked.map(({ wallet }) => wallet)}::text[],
      ${asked.map(({ nonce }) => nonce)}::text[]
    ) as asked (proposal_id, wallet, nonce) using (proposal_id, wallet, nonce)
  `.execute(db);
  return rows;
}

export async function findVote(db: Db | Transaction, voteId: string): Promise<Vote | null> {
  const row = await db.selectFrom('votes').selectAll().where('id', '=', voteId).executeTakeFirst();
  return row ? readVote(row) : null;
}

/** Revokes live votes. Throws INVALID_TRANSITION for a vote that is not live. */
export async function revokeVotes(
  { tx, now }: TransactionContext,
  votes: readonly Pick<Vote, 'id' | 'status'>[],
): Promise<void> {
  if (votes.length === 0) return;
  for (const { status } of votes) voteTransition(status, 'REVOKED');
  const ids = votes.map(({ id }) => id);
  const values = { status: 'REVOKED', revoked_at: new Date(now) } as const;
  await tx.updateTable('votes').set(values).where('id', '=', anyOf(ids)).execute();
}

/** The number of votes of a proposal that changed together. */
export interface VotesChanged {
  readonly proposalId: string;
  readonly vaultId: string;
  readonly votes: number;
}

/**
 * Marks all votes whose facts an anchor carries as confirmed, or after a rollback as cast; returns how many changed. Revoked
 * votes stay revoked.
 */
export async function confirmVotes(
  { tx, now }: TransactionContext,
  transactionId: string,
  status: 'CONFIRMED' | 'CAST',
): Promise<readonly VotesChanged[]> {
  const before = status === 'CONFIRMED' ? 'CAST' : 'CONFIRMED';
  const { rows } = await sql<VotesChanged>`
    with changed as (
      update votes set status = ${voteTransition(before, status, status === 'CAST' ? 'rollback' : 'forward')},
        confirmed_at = ${status === 'CAST' ? null : new Date(now)}::timestamptz
      where status = ${before} and id in (
        select f.id from anchor_facts f join anchor_batches b on b.id = f.batch_id
        where b.transaction_id = ${transactionId}
      )
      returning proposal_id
    )
    select p.id as "proposalId", p.vault_id as "vaultId", count(*)::int as votes
    from changed join proposals p on p.id = changed.proposal_id group by p.id order by p.id
  `.execute(tx);
  return rows;
}

export function readVote(row: Selectable<VotesTable>): Vote {
  return {
    id: row.id,
    proposalId: row.proposal_id,
    wallet: row.wallet,
    decision: row.decision,
    amount: baseUnits(BigInt(row.amount)),
    status: row.status,
    castAt: instant(row.cast_at),
    confirmedAt: row.confirmed_at === null ? null : instant(row.confirmed_at),
    revokedAt: row.revoked_at === null ? null : instant(row.revoked_at),
    signed: readSignature(row),
  };
}

function readSignature({ nonce, signature, signing_key: key }: Selectable<VotesTable>): VoteSignature | null {
  return nonce === null || signature === null || key === null ? null : { nonce, signature, key };
}

/** A vote with the fields of other tables that a response needs. */
export interface ListedVote {
  readonly vote: Vote;
  /** The anchored fact and its transaction; undefined until the anchor is built. */
  readonly anchor: AnchoredFactTransaction | undefined;
  /** Decimals of the vault's token. */
  readonly decimals: number;
}

export interface VoteFilter {
  readonly proposalId: string;
  readonly status?: VoteStatus | undefined;
  readonly wallet?: string | undefined;
  readonly decision?: VoteDecision | undefined;
}

const columns = {
  castAt: 'votes.cast_at',
  amount: 'votes.amount',
  status: 'votes.status',
  decision: 'votes.decision',
} as const;

/** A page of a proposal's votes, and the total; null when there is no such proposal in a vault that the reader may see. */
export async function listVotes(
  db: Db,
  { proposalId, status, wallet, decision }: VoteFilter,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ votes: ListedVote[]; count: PageCount } | null> {
  const isWanted = (eb: ExpressionBuilder<Database, 'votes'>) =>
    eb.and([
      eb('votes.proposal_id', '=', proposalId),
      ...(status === undefined ? [] : [eb('votes.status', '=', status)]),
      ...(wallet === undefined ? [] : [eb('votes.wallet', '=', wallet)]),
      ...(decision === undefined ? [] : [eb('votes.decision', '=', decision)]),
    ]);
  const proposal = sql`from proposals where proposals.id = ${proposalId} and ${isVaultVisible(sql.ref('proposals.vault_id'), scope)}`;
  const collection = {
    columns,
    tieBreak: ['votes.id'],
    tieBreakFollowsSort: true,
    visible: sql<boolean>`exists (select ${proposal})`,
  };
  const matching = db.selectFrom('votes').where(isWanted);
  const { rows, count, isVisible } = await readPage(db, withAnchor(db).where(isWanted), matching, collection, page);
  return isVisible ? { votes: rows.map(listed), count } : null;
}

/** One vote; null when there is none in a vault that the reader may see. */
export async function findListedVote(
  db: Db | Transaction,
  voteId: string,
  scope: ReaderScope,
): Promise<ListedVote | null> {
  const wanted = withAnchor(db).where('votes.id', '=', voteId);
  const row = await wanted.where(isVaultVisible(sql.ref('proposals.vault_id'), scope)).executeTakeFirst();
  return row ? listed(row) : null;
}

function withAnchor(db: Db | Transaction) {
  return db
    .selectFrom('votes')
    .innerJoin('proposals', 'proposals.id', 'votes.proposal_id')
    .innerJoin('vaults', 'vaults.id', 'proposals.vault_id')
    .leftJoin('anchor_facts', 'anchor_facts.id', 'votes.id')
    .leftJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
    .leftJoin('chain_transactions', 'chain_transactions.id', 'anchor_batches.transaction_id')
    .selectAll('votes')
    .select(['vaults.ft_decimals', 'anchor_facts.fact', 'chain_transactions.hash as anchor_hash']);
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withAnchor>['executeTakeFirstOrThrow']>>;

function listed(row: ListedRow): ListedVote {
  const { ft_decimals: decimals, fact: text, anchor_hash: hash } = row;
  return {
    vote: readVote(row),
    anchor: text === null || hash === null ? undefined : { text, hash },
    decimals,
  };
}
