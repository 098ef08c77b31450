import { z } from 'zod';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import { proposalDeadlines } from '../../proposals/rules/phase-view.ts';
import type { Caller } from '../../access/rules/caller.ts';
import { ownershipAttributes } from '../../vaults/vault-access.ts';
import { readVote } from '../read-votes.ts';
import { findVoteWithProposal } from '../readable-vote.ts';
import { revokeVote } from '../revoke-vote.ts';
import { voteLocks } from '../vote-input.ts';
import { ok } from '../../platform/http/route-response.ts';
import { type ApiContext, route } from '../../api-context.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { OperationTransaction, presentAnchored } from '../../transactions/routes/response.ts';
import { presentVote, VoteResource } from './response.ts';

export const revokeVoteRoute = route({
  method: 'delete',
  path: '/votes/:voteId',
  operationId: 'revokeVote',
  recordedTogether: true,
  summary: 'Revoke a vote while voting is open; its voting power is free again',
  description: 'Allowed for the voter, and for a key with permission wallet:UPDATE.',
  success: 'The vote is REVOKED and no longer counts',
  permission: { resource: 'vote', action: 'DELETE', attributes: voteOwnershipAttributes },
  params: z.strictObject({ voteId: ResourceId }),
  responses: { 200: Enveloped(VoteResource.extend({ transaction: OperationTransaction })) },
  errors: ['VOTE_NOT_FOUND', 'VOTE_ALREADY_REVOKED', 'VOTING_CLOSED', 'FREE_ACTIONS_USED_UP', 'SERVICE_NOT_READY'],
  async handle({ params: { voteId }, caller, correlationId, idempotency }, api) {
    const found = await findVoteWithProposal(api.db, voteId);
    const locks = found ? voteLocks({ ...found.vote, vaultId: found.proposal.vaultId }) : undefined;
    const maxWaitMs = maxWaitMsBefore(found ? proposalDeadlines(found.proposal) : [], await api.readingTime());
    return recordOnce(api, { idempotency, locks, maxWaitMs }, async (context) => {
      const anchored = await revokeVote(context, api, { voteId, caller, correlationId });
      const vote = presentVote(await readVote({ db: context.tx }, caller, voteId));
      return ok(enveloped({ ...vote, transaction: presentAnchored(anchored) }, context.now));
    });
  },
});

/** The voter owns the vote. */
async function voteOwnershipAttributes({ voteId }: { voteId: string }, api: ApiContext, caller: Caller) {
  const found = await findVoteWithProposal(api.db, voteId);
  return ownershipAttributes(api, caller, found?.proposal.vaultId, [found?.vote.wallet]);
}
