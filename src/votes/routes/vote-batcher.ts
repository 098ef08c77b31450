import type { Anchors } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Idempotency, onceForAll } from '../../platform/http/idempotency.ts';
import type { AnchoredActionQuota } from '../../context.ts';
import { castVotes } from '../cast-votes.ts';
import { type VoteInput, voteLocks } from '../vote-input.ts';
import type { Clock, Instant } from '../../platform/units/time.ts';
import { batchLoader } from '../../platform/database/batch-loader.ts';
import type { Db } from '../../platform/database/database.ts';
import { decodeRows, type OnUnreadable } from '../../platform/database/decode-rows.ts';
import { type ProposalRow, proposalRows, readProposal } from '../../proposals/queries/proposals.ts';
import { vaultRows } from '../../ledger-follower/queries/unsolicited-scan-targets.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import type { RouteResponse } from '../../platform/http/route.ts';
import { presentRecordedVote, type RecordedVote, type SentVote } from '../schemas.ts';

/** A request that casts a vote. */
export interface VoteRequest {
  readonly input: VoteInput;
  readonly votingEndsAt: Instant | null;
  readonly sent: SentVote;
  readonly idempotency: Idempotency;
}

/** Records votes that arrive at about the same time in one process together. */
export interface VoteBatcher {
  /** A proposal and its vault; null if the proposal does not exist. */
  readonly votedOn: (proposalId: string) => Promise<VotedOn | null>;
  /** Resolves after the commit. Rejects with the errors of `castVotes` and with IDEMPOTENCY_KEY_REUSED. */
  readonly cast: (request: VoteRequest) => Promise<RouteResponse<200, RecordedVote>>;
}

interface VotedOn {
  readonly vault: Vault;
  /** Null while its vote is not open. */
  readonly votingEndsAt: Instant | null;
}

interface VoteBatcherDeps extends AnchoredActionQuota {
  readonly db: Db;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly onUnreadable: OnUnreadable;
}

export function createVoteBatcher({
  db,
  clock,
  anchors,
  onUnreadable,
  anchoredActionsPerDay,
}: VoteBatcherDeps): VoteBatcher {
  return {
    votedOn: batchLoader(async (proposalIds) => {
      const proposals = await proposalRows(db, proposalIds);
      const rows = await vaultRows(db, [...new Set(proposals.map((proposal) => proposal.vault_id))]);
      const vaults = new Map(rows.map((row) => [row.id, row]));
      const found = new Map<string, VotedOn | Error | null>();
      const decode = (row: ProposalRow) => {
        const [{ id, phases }, vault] = [readProposal(row), vaults.get(row.vault_id)];
        found.set(id, vault ? { vault: readVault(vault), votingEndsAt: phases?.voting.endsAt ?? null } : null);
      };
      decodeRows(proposals, decode, (error, { id }) => found.set(id, error));
      return found;
    }),
    cast: anchors.group(
      (context, requests: readonly VoteRequest[]) =>
        onceForAll<VoteRequest, RouteResponse<200, RecordedVote>>(context.tx, requests, async (fresh) => {
          const inputs = fresh.map(({ input }) => input);
          const casts = await castVotes(context, { anchoredActionsPerDay, onUnreadable }, inputs);
          return fresh.map(({ input, sent }, place) => {
            const cast = casts[place] ?? new ServiceError('SYSTEM_ERROR');
            return cast instanceof Error ? cast : presentRecordedVote(input, sent, cast);
          });
        }),
      ({ input: { voter, ...vote }, votingEndsAt }) => ({
        locks: voteLocks({ ...vote, wallet: voter.address }),
        maxWaitMs: maxWaitMsBefore(votingEndsAt === null ? [] : [votingEndsAt], clock.now()),
      }),
    ),
  };
}
