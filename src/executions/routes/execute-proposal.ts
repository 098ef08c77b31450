import { z } from 'zod';
import { ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { executeProposal, FrozenExecutionError, NotFrozenError, type SubmittedExecution } from '../execute-proposal.ts';
import { freezeExecution } from '../freeze-execution.ts';
import { prefetchExecution, prefetchPrices } from '../prefetch.ts';
import { executionExamples } from './request-examples.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { inSpecForm, presentRecorded, SpecTransaction } from '../../transactions/routes/response.ts';
import { executionErrorFields, executionErrors } from './errors.ts';
import { executionInput } from './execution-input.ts';
import { ExecuteProposal, type ExecutionRequest } from './request.ts';

const ProposalExecuted = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: SpecTransaction,
  status: z.literal('executed'),
  executed_by: z.string(),
  cosigners: z.array(z.string()).describe('As in the request'),
  action: z
    .object({
      type: z.string(),
      details: z.record(z.string(), z.unknown()).describe('With the field names of the request'),
    })
    .describe('As in the request'),
  executed_at: Timestamp.describe(
    'When it was submitted to the ledger; `result.executedAt` of the proposal is when it reached a block',
  ),
});

export const executeProposalRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/execute',
  operationId: 'executeProposal',
  specified: true,
  summary: 'Submit the frozen transaction of a passed proposal once enough of its signers have signed',
  description:
    'First freeze the transaction, with `/executions` or a first call of this operation. Then its signers send ' +
    'their signatures to `POST /api/v1/transactions/{hash}/witnesses`. Then repeat the same `cosigners` and `action` ' +
    'here. Until enough have signed, the response is 403 INSUFFICIENT_SIGNATURES. Its `details` give the number of wallets that ' +
    'have to sign (`required`: the buyer, seller or holder, and as many of the cosigners as the transaction was frozen for), how ' +
    'many of these signatures there are (`present`) and are not (`missing`), the addresses that can give them (`missingSigners`), ' +
    'and the frozen `transaction` with its `unsigned_tx`. Signatures of cosigners who may no longer cosign do not count. ' +
    'If `cosigners` names fewer than the proposal requires, no transaction is frozen: `required` and ' +
    '`present` then count cosigners, `missingSigners` is empty, and `transaction` is absent. A price that the vote left ' +
    'open is compared with the market once more: if it is worse by now, freeze the transaction at another price.',
  success: 'The transaction is being submitted; the proposal is EXECUTED once it is in a block',
  examples: executionExamples,
  permission: { resource: 'execution', action: 'CREATE' },
  params: z.strictObject({ proposalId: ResourceId }),
  body: ExecuteProposal,
  responses: { 200: ProposalExecuted },
  errors: [...executionErrors, 'INSUFFICIENT_SIGNATURES', 'FROZEN_FOR_ANOTHER_ACTION'],
  errorFields: executionErrorFields,
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const input = await executionInput(context, { proposalId, caller, correlationId }, body);
    const prices = await prefetchPrices(context, input);
    const submit = () =>
      context
        .unitOfWork((transaction) =>
          idempotency.once(transaction.tx, async () => {
            const submitted = await executeProposal(transaction, context, input, prices);
            return ok(presentExecuted(submitted, body, transaction.now));
          }),
        )
        .catch(nameFrozenTransaction);
    try {
      return await submit();
    } catch (error) {
      if (!(error instanceof NotFrozenError)) throw error;
      // Committed separately: the INSUFFICIENT_SIGNATURES that may follow names the transaction to sign.
      const prefetch = await prefetchExecution(context, input);
      await context.unitOfWork((transaction) => freezeExecution(transaction, context, input, prefetch, true));
      return await submit();
    } finally {
      context.outboxRelay.deliver();
    }
  },
});

/** Adds the frozen transaction to a refusal, for those who have to sign it. */
function nameFrozenTransaction(error: unknown): never {
  if (!(error instanceof FrozenExecutionError)) throw error;
  const transaction = inSpecForm(presentRecorded(error.transaction));
  throw new ServiceError(error.code, { ...error.details, transaction }, { cause: error });
}

function presentExecuted(
  { execution, transaction }: SubmittedExecution,
  { cosigners, action }: ExecutionRequest,
  now: Instant,
): z.input<typeof ProposalExecuted> {
  return {
    vault_id: execution.vaultId,
    proposal_id: execution.proposalId,
    transaction: inSpecForm(presentRecorded(transaction)),
    status: 'executed',
    executed_by: execution.executedBy ?? execution.frozenBy,
    cosigners,
    action,
    executed_at: isoText(now),
  };
}
