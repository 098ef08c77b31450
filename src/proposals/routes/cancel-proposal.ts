import { z } from 'zod';
import type { Caller } from '../../access/rules/caller.ts';
import { cancelProposal } from '../cancel-proposal.ts';
import { ownershipAttributes } from '../../vaults/vault-access.ts';
import { findProposal } from '../queries/proposals.ts';
import { findVault } from '../../vaults/queries/vaults.ts';
import { ok } from '../../platform/http/route-response.ts';
import { type ApiContext, route } from '../../api-context.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { ChangedProposal, presentChangedProposal } from './changed-response.ts';
import { proposalRules } from './record-rules.ts';

export const cancelProposalRoute = route({
  method: 'delete',
  path: '/proposals/:proposalId',
  operationId: 'cancelProposal',
  recordedTogether: true,
  summary: 'Cancel a proposal that is a draft or in its lock phase',
  description:
    'Allowed for the proposer, for the admin of the vault, and for a key with permission wallet:UPDATE. Nobody can cancel a ' +
    'proposal in its voting or execution phase, and the admin none while the holders of a vault that ends claim.',
  success: 'The proposal has FAILED with reason `cancelled`',
  permission: { resource: 'proposal', action: 'DELETE', attributes: proposalOwnershipAttributes },
  params: z.strictObject({ proposalId: ResourceId }),
  responses: { 200: ChangedProposal },
  errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_CANCELLABLE', 'SERVICE_NOT_READY'],
  async handle({ params: { proposalId }, caller, correlationId, idempotency }, api) {
    const rules = await proposalRules(api, proposalId);
    return recordOnce(api, { idempotency, ...rules }, async (context) => {
      const anchored = await cancelProposal(context, { proposalId, caller, correlationId });
      return ok(await presentChangedProposal(context, api, { proposalId, caller }, anchored));
    });
  },
});

/** The proposer and the admin of the vault count as owners. */
async function proposalOwnershipAttributes({ proposalId }: { proposalId: string }, api: ApiContext, caller: Caller) {
  const proposal = await findProposal(api.db, proposalId);
  const vault = proposal && (await findVault(api.db, proposal.vaultId));
  return ownershipAttributes(api, caller, vault?.id, [proposal?.proposer, vault?.createdBy]);
}
