import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { depositOwners, depositsPaidBy } from '../transactions/queries/recorded-transactions.ts';
import { platformEventFields, publish } from '../events/publish.ts';

/** Tells the owners of deposits what a delivery pays them, or that it left the ledger. */
export async function publishDelivery(
  context: TransactionContext,
  type: EventTypeLike<'DEPOSITS_DELIVERED'>,
  transaction: ChainTransaction,
): Promise<void> {
  const deposits = await depositsPaidBy<'deliver'>(context.tx, transaction.id);
  await publish(context, { event: { type, ...(await eventFields(context, transaction)), data: { deposits } } });
}

/** Tells the owners of deposits what a refund returns to them, or that it left the ledger. */
export async function publishRefund(
  context: TransactionContext,
  type: EventTypeLike<'DEPOSITS_REFUNDED'>,
  transaction: ChainTransaction,
): Promise<void> {
  const deposits = await depositsPaidBy<'refund'>(context.tx, transaction.id);
  await publish(context, { event: { type, ...(await eventFields(context, transaction)), data: { deposits } } });
}

async function eventFields({ tx }: TransactionContext, { id, hash, vaultId }: ChainTransaction) {
  if (vaultId === null) throw new Error(`${id} pays deposits of no vault`);
  return { ...platformEventFields(vaultId), wallets: await depositOwners(tx, id), transactionHash: hash };
}
