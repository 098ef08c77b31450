import { readTransaction } from '../read-transactions.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { TransactionParams } from './request.ts';
import { presentTransaction, TransactionResource } from './resource.ts';

export const readTransactionRoute = route({
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
