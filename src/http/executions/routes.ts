import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { isoText } from '../../domain/units/instant.ts';
import { created, ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { prefetchExecution } from '../../services/executions/prefetch.ts';
import { ExecutionResource, presentExecution } from './response.ts';
import { executionExamples } from './request-examples.ts';
import { ExecuteProposal, type ExecutionRequest, parseExecution } from './request.ts';
import { ResourceId, Timestamp } from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { actorOf } from '../../services/actor.ts';
import { executeProposal, NotFrozenError } from '../../services/executions/execute-proposal.ts';
import { freezeExecution, type FreezeRequest } from '../../services/executions/freeze-execution.ts';

import { PlatformTransaction } from '../transactions/response.ts';
import { viewLastExecution } from '../../services/executions/view-executions.ts';

const OneProposal = z.strictObject({ proposalId: ResourceId });

const errors = [
  'PROPOSAL_NOT_FOUND',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
  'EXECUTION_UNDER_WAY',
  'VAULT_ALREADY_ENDED',
  'VAULT_NOT_LOCKED',
  'EXECUTOR_NOT_ELIGIBLE',
  'COSIGNER_NOT_ELIGIBLE',
  'INSUFFICIENT_PERMISSIONS',
  'ACTION_DIFFERS_FROM_APPROVED',
  'PRICE_BELOW_VALUATION',
  'PRICE_ABOVE_VALUATION',
  'ASSET_NOT_IN_VAULT',
  'ASSET_NO_LONGER_HELD',
  'ASSET_NOT_STAKED',
  'STAKING_ADDRESS_NOT_LISTED',
  'ASSET_IS_VAULT_TOKEN',
  'ASSET_NOT_WHITELISTED',
  'ASSET_TYPE_NOT_ALLOWED',
  'INVALID_QUANTITY',
  'MAX_ASSETS_REACHED',
  'ASSET_ALREADY_IN_VAULT',
  'CUSTODY_IN_USE',
  'ASSET_NOT_IN_WALLET',
  'INSUFFICIENT_FUNDS',
  'INVALID_ASSET_NAME',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'PRICE_UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
  'SERVICE_NOT_READY',
] as const satisfies readonly ErrorCode[];

const postExecution = route({
  method: 'post',
  path: '/proposals/:proposalId/executions',
  operationId: 'freezeExecution',
  summary:
    'Freeze the transaction that executes a passed proposal, for its cosigners to sign; the former one gives way',
  description:
    "In the execution phase of a passed proposal; by its proposer, the vault's admin, whoever may cosign, and " +
    'whoever buys or sells by it. What the vote fixed, `action` must equal; what it left open is decided here. A ' +
    'sale is to `buyer_address`, and where neither vote nor action names one, to `executing_user`; a purchase is ' +
    'from `seller_address` or `executing_user` likewise. A price that the vote left open must not be worse than ' +
    'the last valuation. The cosigners and that buyer, seller or holder sign `unsignedTx` and hand it in at ' +
    '`POST /api/v1/transactions/{hash}/witnesses`; `execute` then sends it. The ' +
    'transaction frozen before gives way, unless it is for the same and can still land; who merely buys or sells cannot ' +
    'have it give way to another unless he froze it himself (EXECUTOR_NOT_ELIGIBLE). The assets are named here even where ' +
    'the vote fixed them, and so is a price that it left open.',
  answers: 'The frozen transaction, who has to sign it and who has',
  examples: executionExamples,
  permission: { resource: 'execution', action: 'CREATE' },
  params: OneProposal,
  body: ExecuteProposal,
  responses: { 201: Enveloped(ExecutionResource) },
  errors,
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const wish = await wishOf(context, { ...params, request: body, caller, correlationId });
    const facts = await deferError(prefetchExecution(context, wish));
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        await freezeExecution(work, context, wish, facts);
        return created(enveloped(presentExecution(await viewLastExecution(work.tx, wish.proposalId)), work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const ExecutionAnswer = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: PlatformTransaction,
  status: z.literal('executed'),
  executed_by: z.string(),
  cosigners: z.array(z.string()).describe('As they were sent'),
  action: z
    .object({ type: z.string(), details: z.record(z.string(), z.unknown()).describe('With the names of the request') })
    .describe('As it was sent'),
  executed_at: Timestamp.describe(
    'When it was sent to the ledger; `result.executedAt` of the proposal when it was in a block',
  ),
});

const postExecute = route({
  method: 'post',
  path: '/proposals/:proposalId/execute',
  operationId: 'executeProposal',
  summary: 'Execute a passed proposal once everyone its frozen transaction names has signed; without one, freeze it',
  description:
    'Needs the signatures of the frozen transaction first: freeze it (`/executions`, or by a first call here), have everyone hand ' +
    'theirs in at `POST /api/v1/transactions/{hash}/witnesses`, then repeat the same `cosigners` and `action` here. ' +
    '403 INSUFFICIENT_SIGNATURES carries in `details` how many wallets have to sign (`required`: the cosigners, and the ' +
    'buyer, seller or holder), how many have (`present`) and have not (`missing`), who they are (`missingSigners`), and ' +
    'the frozen `transaction` with the `unsigned_tx` that they sign. Where `cosigners` names fewer than the proposal ' +
    'requires, nothing is frozen: `required` and `present` then count cosigners, nobody is named in `missingSigners`, ' +
    'and there is no `transaction`.',
  answers: 'The transaction is on its way; the proposal is EXECUTED once it is in a block',
  examples: executionExamples,
  permission: { resource: 'execution', action: 'CREATE' },
  params: OneProposal,
  body: ExecuteProposal,
  responses: { 200: ExecutionAnswer },
  errors: [...errors, 'INSUFFICIENT_SIGNATURES', 'FROZEN_FOR_ANOTHER_ACTION'],
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const wish = await wishOf(context, { ...params, request: body, caller, correlationId });
    const attempt = () =>
      context.unitOfWork((work) =>
        idempotency.once(work.tx, async () => {
          const { execution, transaction } = await executeProposal(work, context, wish);
          return ok({
            vault_id: execution.vaultId,
            proposal_id: execution.proposalId,
            transaction: { tx_hash: transaction.hash, status: transaction.state, block_height: null },
            status: 'executed',
            executed_by: execution.executedBy ?? execution.frozenBy,
            cosigners: body.cosigners,
            action: body.action,
            executed_at: isoText(work.now),
          });
        }),
      );
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NotFrozenError)) throw error;
      // Committed by itself: the refusal that may follow names the transaction that is to be signed.
      const facts = await deferError(prefetchExecution(context, wish));
      await context.unitOfWork((work) => freezeExecution(work, context, wish, facts, true));
      return await attempt();
    } finally {
      context.outboxRelay.deliver();
    }
  },
});

interface Asked {
  readonly proposalId: string;
  readonly request: ExecutionRequest;
  readonly caller: Caller;
  readonly correlationId: string;
}

async function wishOf(context: ApiContext, asked: Asked): Promise<FreezeRequest> {
  const { request, ...rest } = asked;
  const executor = await actorOf(context, asked.caller, request.executing_user, 'executing_user');
  return { ...rest, params: parseExecution(request, context.networkId), executor };
}

export const executionRoutes = [postExecution, postExecute];
