import { z } from 'zod';
import { freezeExecution } from '../freeze-execution.ts';
import { prefetchExecution } from '../prefetch.ts';
import { getLastExecution } from '../queries/viewed-executions.ts';
import { executionExamples } from './request-examples.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { executionErrorFields, executionErrors } from './errors.ts';
import { executionInput } from './execution-input.ts';
import { ExecuteProposal } from './request.ts';
import { ExecutionResource } from './resource.ts';
import { presentExecution } from './response.ts';

export const freezeExecutionRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/executions',
  operationId: 'freezeExecution',
  summary: 'Freeze the transaction that executes a passed proposal, for its cosigners to sign',
  description:
    'Possible in the execution phase of a passed proposal, for its proposer, the admin of the vault, eligible ' +
    'cosigners, and the buyer or seller. `action` must equal the terms that the vote fixed, and decides the terms ' +
    'that the vote left open. It always names the assets, and the price if the vote left it open; such a price must ' +
    'not be worse than the last valuation. The buyer of a sale is `buyer_address`, or `executing_user` if neither ' +
    'vote nor action names a buyer; the same holds for `seller_address` of a purchase. `cosigners` are those whose signatures ' +
    'count; `required_cosigners` of them have to sign, which is the number of the proposal unless the request names more. They and ' +
    'the buyer, seller or holder sign `unsignedTx` and send their signatures to `POST /api/v1/transactions/{hash}/witnesses`; ' +
    '`execute` then submits the transaction. A new frozen transaction replaces the former one, unless the former is ' +
    'for the same request and can still land. What another wallet has frozen cannot be replaced for a twelfth of the execution phase, ' +
    'counted from when that wallet first froze (EXECUTION_NOT_REPLACEABLE). A buyer or seller with no other part in the proposal can replace only ' +
    'a transaction that they froze themselves (EXECUTOR_NOT_ELIGIBLE). If the vote named nobody, a buyer or seller is ' +
    'refused after two failed executions with their key (PARTNER_REFUSED).',
  success: 'The frozen transaction, its signers, and who has signed',
  examples: executionExamples,
  permission: { resource: 'execution', action: 'CREATE' },
  params: z.strictObject({ proposalId: ResourceId }),
  body: ExecuteProposal,
  responses: { 201: Enveloped(ExecutionResource) },
  errors: [...executionErrors, 'EXECUTION_NOT_REPLACEABLE'],
  errorFields: executionErrorFields,
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const input = await executionInput(context, { proposalId, caller, correlationId }, body);
    const prefetch = await prefetchExecution(context, input);
    return runOnce(context, idempotency, async (transaction) => {
      await freezeExecution(transaction, context, input, prefetch);
      const view = await getLastExecution(transaction.tx, proposalId);
      return created(enveloped(presentExecution(view), transaction.now));
    });
  },
});
