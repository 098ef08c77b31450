import { requireReadableTransaction, viewTransaction } from '../read-transactions.ts';
import { withdrawTransaction } from '../withdraw-transaction.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { TransactionParams } from './request.ts';
import { presentTransaction, TransactionResource } from './resource.ts';

export const withdrawTransactionRoute = route({
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
