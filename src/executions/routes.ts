import { z } from 'zod';
import { route } from '../api-context.ts';
import { type EligibleCosigner, listCosigners } from './cosigners.ts';
import { executeProposal, FrozenExecutionError, NotFrozenError, type SubmittedExecution } from './execute-proposal.ts';
import { freezeExecution } from './freeze-execution.ts';
import { prefetchExecution, prefetchPrices } from './plan-execution.ts';
import { getLastExecution } from './queries.ts';
import {
  executionExamples,
  executionErrorFields,
  executionErrors,
  executionInput,
  ExecuteProposal,
  type ExecutionRequest,
  ExecutionResource,
  presentExecution,
  cosignerExample,
} from './schemas.ts';
import { withDetails } from '../platform/errors.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../platform/http/envelope.ts';
import { ResourceId, Timestamp, BaseUnitsText } from '../platform/http/fields.ts';
import { ok, created } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { wholeTokens } from '../staking/schemas.ts';
import { inSpecForm, presentRecorded, SpecTransaction } from '../transactions/routes/response.ts';

const ProposalExecuted = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: SpecTransaction,
  status: z.literal('executed'),
  executed_by: z.string(),
  cosigners: z.array(z.string()).describe('Cosigners of the request.'),
  action: z
    .object({
      type: z.string(),
      details: z.record(z.string(), z.unknown()).describe('Action, with the field names of the request.'),
    })
    .describe('Cosigners of the request.'),
  executed_at: Timestamp.describe(
    'Time of the submission to the ledger. `result.executedAt` of the proposal is the time of its block.',
  ),
});

const executeProposalRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/execute',
  operationId: 'executeProposal',
  specified: true,
  summary: 'Execute a passed proposal',
  description:
    'Submits the frozen transaction of a passed proposal when enough signers have signed.\n\n' +
    '1. Freeze the transaction with `freezeExecution`, or with a first call of this operation.\n2. Its signers send ' +
    'their signatures to `addWitnesses`.\n3. Repeat this request with the same `cosigners` and `action`.\n\n' +
    'Until enough have signed, the response is 403 INSUFFICIENT_SIGNATURES. Its `details` contain the transaction ' +
    'to sign and the signers that are missing.\n\n' +
    'A price that the vote left open is compared with the market again. If it is worse now, freeze the transaction ' +
    'with another price.',
  success: 'The transaction is being submitted. The proposal is EXECUTED when it is in a block.',
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
  throw withDetails(error, { transaction });
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

const freezeExecutionRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/executions',
  operationId: 'freezeExecution',
  summary: 'Freeze an execution',
  description:
    'Builds the transaction that executes a passed proposal, for the signers to sign. Send the signatures to ' +
    '`addWitnesses`, then call `executeProposal`.\n\n' +
    'Allowed in the execution phase for the proposer, the admin of the vault, eligible cosigners, and the buyer or ' +
    'seller. `action` repeats the terms of the vote and adds the terms that the vote left open. ' +
    '`required_cosigners` of the `cosigners` must sign, and so must the buyer, seller or holder.\n\n' +
    "A new transaction replaces the frozen one. Another wallet's transaction is protected for a twelfth of the " +
    'execution phase (EXECUTION_NOT_REPLACEABLE).',
  success: 'The frozen transaction, its signers and their signatures',
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

const CosignerResource = z
  .object({
    keyHash: z.string().describe('Hash of its payment key. Addresses with the same key are one cosigner.'),
    wallet: z
      .string()
      .nullable()
      .describe(
        'Address to name. `null` if the vault has registered keys. In that case, name any address with that key.',
      ),
    staked: z
      .number()
      .describe(
        'Staked and final FT in whole tokens, which make the wallet eligible. 0 if the vault has registered keys.',
      ),
    stakedBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'Cosigner', examples: [cosignerExample] });

// Stakes change all the time, so there are only numbered pages.
const { page, limit, sort } = pageQuery(['staked']);

export const listCosignersRoute = route({
  method: 'get',
  path: '/proposals/:proposalId/cosigners',
  operationId: 'listCosigners',
  summary: 'List the eligible cosigners',
  description:
    'Lists the wallets that can cosign an execution of this proposal now. These are the registered keys of the ' +
    'vault. Without registered keys: all wallets with final stakes of at least `cosigningThreshold` percent, ' +
    'largest stake first.\n\n' +
    '`freezeExecution` must name at least `required` of them, and checks again that they are eligible.',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  query: z.strictObject({ page, limit, sort }),
  responses: {
    200: EnvelopedPage(
      z.object({
        required: z
          .int()
          .describe('Minimum number of cosigners that an execution must name. The same number must sign.'),
        cosigners: z.array(CosignerResource),
      }),
    ),
  },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params: { proposalId }, query, caller }, context) {
    const range = pageOf(query, 'staked:desc');
    const listed = await listCosigners(context, caller, { proposalId, range });
    const { required, count, ftDecimals, now } = listed;
    const cosigners = listed.cosigners.map((cosigner) => presentCosigner(cosigner, ftDecimals));
    return ok(envelopedPage({ required, cosigners }, paginationOf(query, count), now));
  },
});

function presentCosigner({ keyHash, wallet, staked }: EligibleCosigner, ftDecimals: number) {
  return { keyHash, wallet, staked: wholeTokens(staked, ftDecimals), stakedBaseUnits: staked.toString() };
}

/** The operations on executions, in the order of the OpenAPI document. */
export const executionRoutes = [freezeExecutionRoute, executeProposalRoute];
