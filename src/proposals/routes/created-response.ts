import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import type { NewProposal } from '../queries/proposals.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import {
  inSpecForm,
  presentPending,
  ProofLink,
  proofLink,
  SpecTransaction,
} from '../../transactions/routes/response.ts';

/** The spec's response to the creation of a proposal. */
export const ProposalCreated = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: SpecTransaction,
  status: z.literal('created'),
  thresholds_met: z.object({
    creation_threshold: z.boolean().describe('Always true: a proposer with a smaller stake gets an error'),
  }),
  created_at: Timestamp,
  proof: ProofLink,
});

export function presentCreatedProposal(proposal: NewProposal, transactionHash: string) {
  return {
    vault_id: proposal.vaultId,
    proposal_id: proposal.id,
    transaction: inSpecForm(presentPending(transactionHash)),
    status: 'created',
    thresholds_met: { creation_threshold: true },
    created_at: isoText(proposal.createdAt),
    proof: proofLink(proposal.id),
  } as const;
}
