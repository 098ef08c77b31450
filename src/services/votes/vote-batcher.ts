import type { Anchors } from '../../anchoring/anchors.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Ids } from '../../domain/units/ids.ts';
import type { Claim } from '../../store/write-locks.ts';
import type { Db } from '../../store/database.ts';
import { inRounds } from '../../store/coalesce.ts';
import { proposalsById } from '../../store/proposals.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { Answer } from '../../http/server/answer.ts';
import { type Idempotency, onceForEach } from '../../http/server/idempotency.ts';
import { castVotes, type VoteWish } from './cast-votes.ts';
import { presentRecorded, type RecordedVote, type SentVote } from '../../http/votes/response.ts';

/** The request for a vote. */
export interface Ballot {
  readonly wish: VoteWish;
  readonly sent: SentVote;
  readonly idempotency: Idempotency;
}

/** What voters share who vote at about the same time, in one process. */
export interface Polling {
  /** The vault of a proposal; null when there is no such proposal. */
  readonly vaultOf: (proposalId: string) => Promise<Vault | null>;
  /** Answers after the commit; rejects with the refusals of `castVotes` or IDEMPOTENCY_KEY_REUSED. */
  readonly cast: (ballot: Ballot) => Promise<Answer<200, RecordedVote>>;
}

interface PollingDeps {
  readonly db: Db;
  readonly anchors: Anchors;
  readonly ids: Ids;
}

export function createPolling({ db, anchors, ids }: PollingDeps): Polling {
  return {
    vaultOf: inRounds(async (proposalIds: readonly string[]) => {
      const proposals = await proposalsById(db, [...new Set(proposalIds)]);
      const vaultIds = new Set([...proposals.values()].map(({ vaultId }) => vaultId));
      const vaults = new Map(await Promise.all([...vaultIds].map(async (id) => [id, await getVault(db, id)] as const)));
      return (proposalId) => vaults.get(proposals.get(proposalId)?.vaultId ?? '') ?? null;
    }),
    cast: anchors.group(
      (work, ballots: readonly Ballot[]) =>
        onceForEach<Ballot, Answer<200, RecordedVote>>(work.tx, ballots, async (fresh) => {
          const wishes = fresh.map(({ wish }) => wish);
          const casts = await castVotes(work, { ids }, wishes);
          return fresh.map(({ wish, sent }, place) => {
            const cast = casts[place] ?? new ServiceError('SYSTEM_ERROR');
            return cast instanceof Error ? cast : presentRecorded(wish, sent, cast);
          });
        }),
      ({ wish: { voter, ...wish } }) => pollClaim({ ...wish, wallet: voter.address }),
    ),
  };
}

/** Of a vote: its proposal stays open, and nobody else changes its wallet's stakes. */
export function pollClaim({ proposalId, vaultId, wallet }: Record<'proposalId' | 'vaultId' | 'wallet', string>): Claim {
  return { fence: `proposal:${proposalId}`, side: 'shared', stakesOf: { vaultId, wallet } };
}
