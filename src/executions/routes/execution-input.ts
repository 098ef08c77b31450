import { actorOf } from '../../access/actor.ts';
import type { ExecutionInput } from '../execution-params.ts';
import type { ApiContext } from '../../api-context.ts';
import { type ExecutionRequest, parseExecution } from './request.ts';

type Source = Pick<ExecutionInput, 'proposalId' | 'caller' | 'correlationId'>;

/** The input of a request to freeze or execute. Throws what `actorOf` and `parseExecution` throw. */
export async function executionInput(
  context: ApiContext,
  source: Source,
  request: ExecutionRequest,
): Promise<ExecutionInput> {
  const executor = await actorOf(context, source.caller, request.executing_user, 'executing_user');
  return { ...source, params: parseExecution(request, context.networkId), executor };
}
