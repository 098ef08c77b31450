import { z } from 'zod';
import { confirmationOf } from '../rules/finality.ts';
import { isoText } from '../../platform/units/instant.ts';
import { transactionKinds, transactionStates } from '../rules/transaction-state.ts';
import { listReadableTransactions } from '../read-transactions.ts';
import type { ListedTransaction as Listed } from '../queries/listed-transactions.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { presentTransactionSummary, TransactionResource, TransactionSummary } from './resource.ts';

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

export const listTransactionsRoute = route({
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
