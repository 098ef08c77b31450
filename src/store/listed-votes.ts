import type { VoteDecision, VoteStatus } from '../domain/vote/vote.ts';
import type { Db } from './database.ts';
import { givenFields, type Page, readPage, type PageCount } from './page.ts';
import { readVote, type Vote } from './votes.ts';

export interface VoteFilter {
  readonly proposalId: string;
  readonly status?: VoteStatus | undefined;
  readonly wallet?: string | undefined;
  readonly decision?: VoteDecision | undefined;
}

const columns = { castAt: 'cast_at', amount: 'amount', status: 'status', decision: 'decision' } as const;

/** A page of a proposal's votes, and the total. */
export async function listVotes(
  db: Db,
  { proposalId, status, wallet, decision }: VoteFilter,
  page: Page<keyof typeof columns>,
): Promise<{ votes: Vote[]; count: PageCount }> {
  const matching = db
    .selectFrom('votes')
    .where('proposal_id', '=', proposalId)
    .where((eb) => eb.and(givenFields({ status, wallet, decision })));
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  return { votes: rows.map(readVote), count };
}
