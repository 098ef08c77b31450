import { castVoteRoute } from './cast-vote.ts';
import { listVotesRoute } from './list-votes.ts';
import { readVoteRoute } from './read-vote.ts';
import { revokeVoteRoute } from './revoke-vote.ts';

/** The operations on votes, in the order of the OpenAPI document. */
export const voteRoutes = [castVoteRoute, listVotesRoute, readVoteRoute, revokeVoteRoute];
