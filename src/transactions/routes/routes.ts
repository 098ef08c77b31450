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
    'Signatures in CBOR hex, in one of three forms: the witness set that CIP-30 `signTx` returns, the whole signed transaction, or a ' +
      'single key witness `[0, [key, signature]]`. From a file of `cardano-cli`, send the value of `cborHex`. Signatures of keys that the ' +
      'transaction does not need are ignored, as long as one of a needed key is among them',
  );

const addWitnessesRoute = route({
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

const ListedTransaction = TransactionSummary.extend({
  ...TransactionResource.pick({
    vaultId: true,
    signer: true,
    wallet: true,
    error: true,
    blockHash: true,
    confirmations: true,
  }).shape,
  expiresAt: Timestamp.describe('After this time the transaction can no longer land'),
  updatedAt: Timestamp.describe('When its status last changed, or when it was withdrawn'),
}).meta({ id: 'ListedTransaction' });

const listTransactionsRoute = route({
  method: 'get',
  path: '/transactions',
  operationId: 'listTransactions',
  summary: 'List the transactions of the service, newest first',
  description:
    'Those of vaults that the caller may read, those of the wallet of the session, and those that belong to no vault. ' +
    '`wallet` lists the transactions of a wallet, and the executions that it has signed or has to sign, also as a cosigner; ' +
    '`status=awaiting_signatures` what is still to be signed. What others have built from the UTxOs of the wallet is not listed.',
  success: 'A page of transactions',
  permission: {
    unrestricted:
      'Lists those of vaults for which the caller has `vault:READ`, and those of the own wallet; transactions without a vault ' +
      'are on the public ledger, or will be',
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
  summary: 'Read the status of a transaction of the service, from its signatures to its finality',
  description:
    'The states are awaiting_signatures, pending (signed), submitted, confirmed (in a block) and final; or expired, or ' +
    'failed. After a rollback a transaction is submitted again.',
  permission: {
    unrestricted:
      'Those of a vault return 404 without `vault:READ` for it, except for the wallets that sign them; those without a vault are ' +
      'on the public ledger, or will be',
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
  summary: 'Withdraw a transaction that its wallet or its cosigners have not signed',
  description:
    'Its wallet may withdraw it, and a key with permission wallet:UPDATE. The UTxOs it holds are free at once, and it takes no ' +
    'more signatures. A stake that was to be returned has voting power again, in votes that open from now on. If the wallet ' +
    'has signed the transaction nevertheless and submits it by itself, it still counts: a deposit or a stake stays listed as ' +
    'under way until `expiresAt`. Repeating the request changes nothing. To start the same operation again, use a new ' +
    'Idempotency-Key; the old one returns the withdrawn transaction. An execution cannot be withdrawn; freezing another ' +
    'execution replaces it. A return of unsolicited outputs that the cosigners of custody have to sign is withdrawn with permission ' +
    'unsolicited:CREATE, until enough of them have signed.',
  success: 'The withdrawn transaction; `error` says that it was withdrawn',
  permission: {
    unrestricted:
      'The operation checks that the caller acts for the wallet of the transaction, or may return unsolicited outputs',
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
