import { cancelProposalRoute } from './cancel-proposal.ts';
import { createProposalRoute } from './create-proposal.ts';
import { endorseProposalRoute } from './endorse-proposal.ts';
import { listProposalsRoute } from './list-proposals.ts';
import { readProposalRoute } from './read-proposal.ts';

/** The operations on proposals, in the order of the OpenAPI document. */
export const proposalRoutes = [
  createProposalRoute,
  listProposalsRoute,
  readProposalRoute,
  cancelProposalRoute,
  endorseProposalRoute,
];
