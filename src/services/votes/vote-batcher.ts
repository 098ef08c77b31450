import type { Anchors } from '../../anchoring/anchors.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Ids } from '../../domain/units/ids.ts';
import type { WriteLocks } from '../../store/write-locks.ts';
import type { Db } from '../../store/database.ts';
import { coalesce } from '../../store/coalesce.ts';
import { proposalsById } from '../../store/proposals.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { Answer } from '../../http/server/answer.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { onceForAll } from '../idempotency/once-for-all.ts';
import { castVotes, type VoteInput } from './cast-votes.ts';
import { presentRecorded, type RecordedVote, type SentVote } from '../../http/votes/response.ts';

/** The request for a vote. */
export interface VoteRequest {
  readonly wish: VoteInput;
  readonly sent: SentVote;
  readonly idempotency: Idempotency;
}

/** What voters share who vote at about the same time, in one process. */
export interface VoteBatcher {
  /** The vault of a proposal; null when there is no such proposal. */
  readonly vaultOf: (proposalId: string) => Promise<Vault | null>;
  /** Answers after the commit; rejects with the refusals of `castVotes` or IDEMPOTENCY_KEY_REUSED. */
  readonly cast: (ballot: VoteRequest) => Promise<Answer<200, RecordedVote>>;
}

interface PollingDeps {
  readonly db: Db;
  readonly anchors: Anchors;
  readonly ids: Ids;
}

export function createVoteBatcher({ db, anchors, ids }: PollingDeps): VoteBatcher {
  return {
    vaultOf: coalesce(async (proposalIds: readonly string[]) => {
      const proposals = await proposalsById(db, [...new Set(proposalIds)]);
      const vaultIds = new Set([...proposals.values()].map(({ vaultId }) => vaultId));
      const vaults = new Map(await Promise.all([...vaultIds].map(async (id) => [id, await getVault(db, id)] as const)));
      return (proposalId) => vaults.get(proposals.get(proposalId)?.vaultId ?? '') ?? null;
    }),
    cast: anchors.group(
      (work, ballots: readonly VoteRequest[]) =>
        onceForAll<VoteRequest, Answer<200, RecordedVote>>(work.tx, ballots, async (fresh) => {
          const wishes = fresh.map(({ wish }) => wish);
          const casts = await castVotes(work, { ids }, wishes);
          return fresh.map(({ wish, sent }, place) => {
            const cast = casts[place] ?? new ServiceError('SYSTEM_ERROR');
            return cast instanceof Error ? cast : presentRecorded(wish, sent, cast);
          });
        }),
      ({ wish: { voter, ...wish } }) => voteLocks({ ...wish, wallet: voter.address }),
    ),
  };
}

/** Of a vote: its proposal stays open, and nobody else changes its wallet's stakes. */
export function voteLocks({
  proposalId,
  vaultId,
  wallet,
}: Record<'proposalId' | 'vaultId' | 'wallet', string>): WriteLocks {
  return { fence: `proposal:${proposalId}`, side: 'shared', stakesOf: { vaultId, wallet } };
}
