import { z } from 'zod';
import { addWitnesses } from '../add-witnesses.ts';
import { viewTransaction } from '../read-transactions.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { TransactionParams } from './request.ts';
import { presentTransaction, TransactionResource } from './resource.ts';

/** The largest transaction has 32,768 digits with the signatures that it needs. */
const GivenWitnesses = z
  .string()
  .min(2)
  .max(40_000)
  .describe(
    'Signatures in CBOR hex, in one of three forms: the witness set that CIP-30 `signTx` returns, the whole signed transaction, or a ' +
      'single key witness `[0, [key, signature]]`. From a file of `cardano-cli`, send the value of `cborHex`. Signatures of keys that the ' +
      'transaction does not need are ignored, as long as one of a needed key is among them',
  );

export const addWitnessesRoute = route({
  method: 'post',
  path: '/transactions/:hash/witnesses',
  operationId: 'addWitnesses',
  summary: 'Add signatures to a transaction',
  description:
    'When the last missing signature arrives, the transaction is submitted. An execution is submitted by `execute` instead.\n\n' +
    'Any key may post signatures and no session is needed, because the signatures themselves prove who acts. Posting the same ' +
    'signatures again changes nothing.',
  success: 'The transaction with its signatures so far',
  examples: { signTx: { witnessSet: 'a10081825820' + '00'.repeat(32) + '5840' + '00'.repeat(64) } },
  permission: {
    unrestricted:
      'A signature proves by itself who gave it; transactions of a vault that the caller may not read return 404',
  },
  params: TransactionParams,
  body: z.strictObject({ witnessSet: GivenWitnesses }).meta({ id: 'Witnesses' }),
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
    const chain = await api.networkState();
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, ...body, caller, correlationId };
      const transaction = await addWitnesses(context, api, input, chain);
      return ok(enveloped(presentTransaction(await viewTransaction(context.tx, transaction)), context.now));
    });
  },
});
