import { z } from 'zod';
import { route } from '../../api-context.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { isoText } from '../../platform/units/time.ts';
import { addWitnesses } from '../add-witnesses.ts';
import type { ListedTransaction as Listed } from '../queries/listed-transactions.ts';
import {
  viewTransaction,
  listReadableTransactions,
  readTransaction,
  requireReadableTransaction,
} from '../read-transactions.ts';
import { presentTransaction, TransactionResource, presentTransactionSummary, TransactionSummary } from './resource.ts';
import { TransactionParams } from './response.ts';
import { confirmationOf, transactionKinds, transactionStates } from '../rules.ts';
import { withdrawTransaction } from '../withdraw-transaction.ts';

/** The largest transaction has 32,768 digits with the signatures that it needs. */
const GivenWitnesses = z
  .string()
  .min(2)
  .max(40_000)
  .describe(
    'Signatures in CBOR hex. Send the witness set that CIP-30 `signTx` returns, the whole signed transaction, or ' +
      'a single key witness `[0, [key, signature]]`. From a file of `cardano-cli`, send the value of `cborHex`. ' +
      'Signatures of other keys are ignored if at least one needed key is included.',
  );

const addWitnessesRoute = route({
  method: 'post',
  path: '/transactions/:hash/witnesses',
  operationId: 'addWitnesses',
  summary: 'Add signatures to a transaction',
  description:
    'Submits the transaction when the last missing signature arrives. An execution waits for `executeProposal`.\n\n' +
    'Any API key can post signatures, without a session, because a signature itself proves who gave it. Posting ' +
    'the same signatures again changes nothing.',
  success: 'The transaction with its signatures so far',
  examples: { signTx: { witnessSet: 'a10081825820' + '00'.repeat(32) + '5840' + '00'.repeat(64) } },
  permission: {
    unrestricted:
      'A signature itself proves who gave it. Transactions of a vault that the caller cannot read return 404',
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

const ListedTransaction = TransactionSummary.extend({
  ...TransactionResource.pick({
    vaultId: true,
    signer: true,
    wallet: true,
    error: true,
    blockHash: true,
    confirmations: true,
  }).shape,
  expiresAt: Timestamp.describe('After this time, the transaction can no longer reach a block.'),
  updatedAt: Timestamp.describe('Time at which its status last changed, or it was withdrawn.'),
}).meta({ id: 'ListedTransaction' });

const listTransactionsRoute = route({
  method: 'get',
  path: '/transactions',
  operationId: 'listTransactions',
  summary: 'List transactions',
  description:
    'Lists transactions of vaults that you may read, of your own wallet, and of no vault, newest first.\n\n' +
    '`wallet` lists the transactions of a wallet, including executions that it has signed or must sign, also as a ' +
    'cosigner. With `status=awaiting_signatures` you see everything that needs a signature. Transactions that ' +
    'others built from UTxOs of the wallet are not listed.',
  success: 'A page of transactions',
  permission: {
    unrestricted:
      'Lists transactions of vaults for which the caller has `vault:READ`, and of its own wallet. Transactions ' +
      'without a vault are on the public ledger, or will be',
  },
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'status', 'kind']),
    vaultId: ResourceId.describe('Only transactions of this vault.').optional(),
    wallet: AddressFilter.optional(),
    kind: CaseInsensitive(transactionKinds).optional(),
    status: CaseInsensitive(transactionStates).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ transactions: z.array(ListedTransaction) })) },
  errors: [],
  async handle({ query, caller }, api) {
    const { vaultId, wallet, kind, status } = query;
    const filter = { vaultId, wallet, kind, status };
    const page = pageOf(query, 'createdAt:desc');
    const { transactions, count } = await listReadableTransactions(api, caller, filter, page);
    const data = { transactions: transactions.map(presentListed) };
    const now = await api.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

function presentListed({ transaction, tip }: Listed): z.input<typeof ListedTransaction> {
  const { vaultId, signer, wallet, error, refusal, blockHash, expiresAt, updatedAt } = transaction;
  return {
    ...presentTransactionSummary(transaction, tip),
    ...confirmationOf(transaction, tip),
    blockHash,
    vaultId,
    signer,
    wallet,
    error: error ?? refusal,
    expiresAt: isoText(expiresAt),
    updatedAt: isoText(updatedAt),
  };
}

const readTransactionRoute = route({
  method: 'get',
  path: '/transactions/:hash',
  operationId: 'readTransaction',
  summary: 'Get a transaction',
  description:
    'Returns the status of a transaction, from its signatures to its finality: awaiting_signatures, pending ' +
    '(signed), submitted, confirmed (in a block) and final. It can also be expired or failed. After a rollback, ' +
    'the transaction is submitted again.',
  permission: {
    unrestricted:
      'Transactions of a vault return 404 without `vault:READ` for it, except to the wallets that sign them. ' +
      'Transactions without a vault are on the public ledger, or will be',
  },
  params: TransactionParams,
  responses: { 200: Enveloped(TransactionResource) },
  errors: ['TRANSACTION_NOT_FOUND'],
  async handle({ params: { hash }, caller }, { db, readingTime }) {
    const view = await readTransaction(db, caller, hash);
    const now = await readingTime();
    return ok(enveloped(presentTransaction(view), now));
  },
});

const withdrawTransactionRoute = route({
  method: 'delete',
  path: '/transactions/:hash',
  operationId: 'withdrawTransaction',
  summary: 'Withdraw an unsigned transaction',
  description:
    'Releases the UTxOs of the transaction at once. It then accepts no signatures. Allowed for its wallet and for ' +
    'a key with `wallet:UPDATE`. Repeating the request changes nothing.\n\n' +
    'A stake that was being returned has voting power again, in votes that open from now on. If the wallet has ' +
    'already signed and submits the transaction itself, it still counts.\n\n' +
    'To start the operation again, use a new `Idempotency-Key`. You cannot withdraw an execution. Freeze another ' +
    'one instead. To withdraw a return of unsolicited outputs, you need `unsolicited:CREATE`.',
  success: 'The withdrawn transaction. Its `error` says that it was withdrawn.',
  permission: {
    unrestricted:
      'The operation checks that the caller acts for the wallet of the transaction, or can return unsolicited outputs',
  },
  params: TransactionParams,
  responses: { 200: Enveloped(TransactionResource) },
  errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_WITHDRAWABLE', 'INSUFFICIENT_PERMISSIONS'],
  async handle({ params: { hash }, caller, correlationId, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      const { tx, now } = context;
      const transaction = await requireReadableTransaction(tx, caller, hash);
      await withdrawTransaction(context, { transaction, caller, correlationId });
      return ok(enveloped(presentTransaction(await viewTransaction(tx, transaction)), now));
    });
  },
});

/** The operations on transactions, in the order of the OpenAPI document. */
export const transactionRoutes = [
  listTransactionsRoute,
  readTransactionRoute,
  addWitnessesRoute,
  withdrawTransactionRoute,
];
