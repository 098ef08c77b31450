import { type ExpressionBuilder, sql } from 'kysely';
import type { VoteDecision, VoteStatus } from '../rules/vote.ts';
import type { AnchoredFactTransaction } from '../../anchoring/queries/anchor-batches.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';
import { readVote, type Vote } from './votes.ts';

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
  const wanted = withAnchor(db).modifyFront(prepared).where('votes.id', '=', voteId);
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
