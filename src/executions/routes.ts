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
import { ServiceError } from '../platform/errors.ts';
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

const executeProposalRoute = route({
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

const freezeExecutionRoute = route({
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

const CosignerResource = z
  .object({
    keyHash: z.string().describe('Hash of its payment key; addresses with the same key are one cosigner'),
    wallet: z
      .string()
      .nullable()
      .describe('The address to name; null if the vault has registered keys: name any address with that key'),
    staked: z
      .number()
      .describe('Staked and final FT in whole tokens, which make it eligible; 0 if the vault has registered keys'),
    stakedBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'Cosigner', examples: [cosignerExample] });

// Stakes change all the time, so there are only numbered pages.
const { page, limit, sort } = pageQuery(['staked']);

export const listCosignersRoute = route({
  method: 'get',
  path: '/proposals/:proposalId/cosigners',
  operationId: 'listCosigners',
  summary: 'List who may cosign the execution of a proposal now',
  description:
    'These are the keys that the vault registered or, if it registered none, all wallets whose final stakes are at ' +
    'least `cosigningThreshold` of the supply (of what nobody has returned, while holders of a vault that ends claim), the largest ' +
    'stake first by default. ' +
    '`POST /api/v1/proposals/{proposalId}/executions` names at least `required` of them, and checks again that they are eligible.',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  query: z.strictObject({ page, limit, sort }),
  responses: {
    200: EnvelopedPage(
      z.object({
        required: z
          .int()
          .describe('How many cosigners an execution has to name at least; this many of those it names have to sign'),
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
