import { executeProposalRoute } from './execute-proposal.ts';
import { freezeExecutionRoute } from './freeze-execution.ts';

/** The operations on executions, in the order of the OpenAPI document. */
export const executionRoutes = [freezeExecutionRoute, executeProposalRoute];
