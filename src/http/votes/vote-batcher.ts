import type { Anchors } from '../../anchoring/anchors.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Idempotency } from '../../server/idempotency.ts';
import { onceForAll } from '../../server/run-once-in-batch.ts';
import { castVotes } from '../../services/votes/cast-votes.ts';
import { type VoteInput, voteLocks } from '../../services/votes/vote-input.ts';
import { coalesce } from '../../store/coalesce.ts';
import type { Db } from '../../store/database.ts';
import { proposalsById } from '../../store/proposals.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { RouteResponse } from '../../server/route-response.ts';
import { presentRecordedVote, type RecordedVote, type SentVote } from './recorded-response.ts';

/** A request that casts a vote. */
export interface VoteRequest {
  readonly input: VoteInput;
  readonly sent: SentVote;
  readonly idempotency: Idempotency;
}

/** Records votes that arrive at about the same time in one process together. */
export interface VoteBatcher {
  /** The vault of a proposal; null if the proposal does not exist. */
  readonly vaultOf: (proposalId: string) => Promise<Vault | null>;
  /** Resolves after the commit. Rejects with the errors of `castVotes` and with IDEMPOTENCY_KEY_REUSED. */
  readonly cast: (request: VoteRequest) => Promise<RouteResponse<200, RecordedVote>>;
}

interface VoteBatcherDeps {
  readonly db: Db;
  readonly anchors: Anchors;
}

export function createVoteBatcher({ db, anchors }: VoteBatcherDeps): VoteBatcher {
  return {
    vaultOf: coalesce(async (proposalIds: readonly string[]) => {
      const proposals = await proposalsById(db, [...new Set(proposalIds)]);
      const vaultIds = new Set([...proposals.values()].map(({ vaultId }) => vaultId));
      const vaults = new Map(await Promise.all([...vaultIds].map(async (id) => [id, await getVault(db, id)] as const)));
      return (proposalId) => vaults.get(proposals.get(proposalId)?.vaultId ?? '') ?? null;
    }),
    cast: anchors.group(
      (context, requests: readonly VoteRequest[]) =>
        onceForAll<VoteRequest, RouteResponse<200, RecordedVote>>(context.tx, requests, async (fresh) => {
          const inputs = fresh.map(({ input }) => input);
          const casts = await castVotes(context, inputs);
          return fresh.map(({ input, sent }, place) => {
            const cast = casts[place] ?? new ServiceError('SYSTEM_ERROR');
            return cast instanceof Error ? cast : presentRecordedVote(input, sent, cast);
          });
        }),
      ({ input: { voter, ...vote } }) => voteLocks({ ...vote, wallet: voter.address }),
    ),
  };
}
