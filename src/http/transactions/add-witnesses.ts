import { z } from 'zod';
import { deferError } from '../../services/defer-error.ts';
import { addWitnesses } from '../../services/transactions/add-witnesses.ts';
import { viewTransaction } from '../../services/transactions/read-transactions.ts';
import { ok } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';
import { runOnce } from '../../server/run-once.ts';
import { Enveloped, enveloped } from '../../server/envelope.ts';
import { TransactionParams } from './request.ts';
import { presentTransaction, TransactionResource } from './resource.ts';

export const addWitnessesRoute = route({
  method: 'post',
  path: '/transactions/:hash/witnesses',
  operationId: 'addWitnesses',
  summary: "Add a wallet's signatures to a transaction (the result of CIP-30 signTx)",
  description:
    'Any key may post them and no session is needed, because the signatures themselves prove who acts. Posting the same ' +
    'signatures again changes nothing. When the last missing signature arrives, the transaction is submitted; an execution ' +
    'is submitted by `execute` instead.',
  success: 'The transaction with its signatures so far',
  examples: { signTx: { witnessSet: 'a10081825820' + '00'.repeat(32) + '5840' + '00'.repeat(64) } },
  permission: {
    unrestricted:
      'A signature proves by itself who gave it; transactions of a vault that the caller may not read return 404',
  },
  params: TransactionParams,
  body: z.strictObject({ witnessSet: z.string().min(2).max(20_000) }).meta({ id: 'Witnesses' }),
  responses: { 200: Enveloped(TransactionResource) },
  errors: [
    'TRANSACTION_NOT_FOUND',
    'TRANSACTION_EXPIRED',
    'TRANSACTION_NOT_AWAITING_SIGNATURES',
    'INVALID_CBOR',
    'INVALID_SIGNATURE',
    'WITNESS_FOR_ANOTHER_TRANSACTION',
    'WITNESS_NOT_REQUIRED',
    'WALLET_FUNDS_IN_USE',
    'CLAIM_OUTPUT_TAKEN',
    'CLAIMS_AWAIT_SALE',
    'SECURITY_CONSTRAINTS_NOT_MET',
    'VAULT_ALREADY_ENDED',
    'ASSET_WINDOW_CLOSED',
    'INVESTMENT_WINDOW_CLOSED',
    'MAX_ASSETS_REACHED',
    'LEDGER_UNAVAILABLE',
  ],
  errorFields: {
    INVALID_SIGNATURE: 'witnessSet',
    WITNESS_FOR_ANOTHER_TRANSACTION: 'witnessSet',
    WITNESS_NOT_REQUIRED: 'witnessSet',
  },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const networkState = await deferError(api.networkState());
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, ...body, caller, correlationId };
      const transaction = await addWitnesses(context, api, input, networkState);
      return ok(enveloped(presentTransaction(await viewTransaction(context.tx, transaction)), context.now));
    });
  },
});
