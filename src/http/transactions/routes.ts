import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findReplacement } from '../../store/anchor-batches.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { findTransactionByHash } from '../../store/chain-transactions.ts';
import type { Db } from '../../store/database.ts';
import { transactionHistory } from '../../store/transaction-history.ts';
import { ok } from '../server/answer.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { deferError } from '../../services/defer-error.ts';
import { withdrawTransaction } from '../../services/transactions/withdraw-transaction.ts';
import { addWitnesses } from '../../services/transactions/add-witnesses.ts';
import { presentTransaction, TransactionResource } from './response.ts';
import { mayReadVault } from '../../services/vaults/vault-access.ts';

const OneTransaction = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'A transaction hash is 32 bytes in hex')
    .transform((text) => text.toLowerCase()),
});

const getTransaction = route({
  method: 'get',
  path: '/transactions/:hash',
  operationId: 'readTransaction',
  summary: 'Where a transaction of the service stands, from its signatures to its finality',
  description:
    'awaiting_signatures, pending (signed), submitted, confirmed (in a block), final; or expired, or failed. A ' +
    'rollback takes it back to submitted.',
  params: OneTransaction,
  responses: { 200: Enveloped(TransactionResource) },
  errors: ['TRANSACTION_NOT_FOUND'],
  async handle({ params, caller }, { db, readingTime }) {
    const transaction = await readableTransaction(db, caller, params.hash);
    const history = await transactionHistory(db, transaction.id);
    const replacedBy = transaction.kind === 'anchor' ? await findReplacement(db, transaction) : null;
    const presented = { ...presentTransaction(transaction, history), ...(replacedBy !== null && { replacedBy }) };
    return ok(enveloped(presented, await readingTime()));
  },
});

/** Raises TRANSACTION_NOT_FOUND, also for one of a vault that is kept from the caller. */
async function readableTransaction(db: Db, caller: Caller, hash: string): Promise<ChainTransaction> {
  const transaction = await findTransactionByHash(db, hash);
  if (!transaction) throw new ServiceError('TRANSACTION_NOT_FOUND');
  const { vaultId } = transaction;
  const hidden = vaultId !== null && !(await mayReadVault({ db }, caller, vaultId));
  if (hidden) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

const postWitnesses = route({
  method: 'post',
  path: '/transactions/:hash/witnesses',
  operationId: 'addWitnesses',
  summary: "Hand in a wallet's signatures (the answer of CIP-30 signTx); they prove by themselves who acts",
  description:
    'From anyone with a key: no session is needed. Posting the same again changes nothing. The last missing ' +
    'signature has the transaction sent, except that of an execution, which `execute` sends.',
  answers: 'The transaction with the signatures it has now',
  examples: { signTx: { witnessSet: 'a10081825820' + '00'.repeat(32) + '5840' + '00'.repeat(64) } },
  params: OneTransaction,
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
    'SECURITY_CONSTRAINTS_NOT_MET',
    'VAULT_ALREADY_ENDED',
    'ASSET_WINDOW_CLOSED',
    'INVESTMENT_WINDOW_CLOSED',
    'MAX_ASSETS_REACHED',
    'LEDGER_UNAVAILABLE',
  ],
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const facts = await deferError(context.networkState());
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const transaction = await addWitnesses(work, context, { ...params, ...body, caller, correlationId }, facts);
        const history = await transactionHistory(work.tx, transaction.id);
        return ok(enveloped(presentTransaction(transaction, history), work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const deleteTransaction = route({
  method: 'delete',
  path: '/transactions/:hash',
  operationId: 'withdrawTransaction',
  summary: 'Give up a transaction that its wallet does not sign',
  description:
    'By its wallet, or a key with permission wallet:UPDATE. The coins it holds are free at once, and no signature of it is ' +
    'taken any more. A stake that was to come back counts again, in votes that open from now on. What a wallet has signed all ' +
    'the same and sends by itself still counts: a deposit and a stake stay listed as under way until `expiresAt`. Asking ' +
    'again changes nothing; who starts anew takes a new Idempotency-Key, as the old one answers with what was given up. An ' +
    'execution is given up by freezing another one.',
  answers: 'The transaction, withdrawn: `error` says so',
  params: OneTransaction,
  responses: { 200: Enveloped(TransactionResource) },
  errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_WITHDRAWABLE', 'INSUFFICIENT_PERMISSIONS'],
  async handle({ params: { hash }, caller, correlationId, idempotency }, context) {
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const found = await readableTransaction(work.tx, caller, hash);
        await withdrawTransaction(work, context, { transaction: found, caller, correlationId });
        const withdrawn = await readableTransaction(work.tx, caller, hash);
        return ok(enveloped(presentTransaction(withdrawn, await transactionHistory(work.tx, withdrawn.id)), work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

export const transactionRoutes = [getTransaction, postWitnesses, deleteTransaction];
