import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import {
  changeInvestmentStatus,
  type Investment,
  linkInvestmentRemoval,
  lockInvestmentOfTransaction,
  lockInvestmentReturnedBy,
  setInvestmentRemoval,
} from './queries/investments.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { publish } from '../events/publish.ts';
import type { TransactionEffects } from '../ledger-follower/effects/transaction-effects.ts';
import { returnToVault } from '../executions/return-to-vault.ts';

/** An investment counts while its transaction is on the ledger. */
export const investEffects: TransactionEffects = {
  async revived(context, transaction) {
    await returnToVault(context, transaction);
    const investment = await lockInvestmentOfTransaction(context.tx, 'transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'PENDING', direction: 'rollback' });
  },
  async confirmed(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, 'transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'CONFIRMED' });
    await publishInvestment(context, 'INVESTMENT_MADE', investment, transaction);
  },
  async rolledBack(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, 'transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'PENDING', direction: 'rollback' });
    await publishInvestment(context, 'INVESTMENT_ROLLED_BACK', investment, transaction);
  },
  async ended(context, transaction, end) {
    const investment = await lockInvestmentOfTransaction(context.tx, 'transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'EXPIRED', reason: end });
    await publishInvestment(context, 'INVESTMENT_EXPIRED', investment, transaction);
  },
};

/** An investment is REFUNDED while the transaction by which its owner took it back is on the ledger. */
export const removeInvestmentEffects: TransactionEffects = {
  revived: linkInvestmentRemoval,
  async confirmed(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'REFUNDED', reason: 'removed' });
    await publishInvestment(context, 'INVESTMENT_REMOVED', investment, transaction);
  },
  async rolledBack(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'CONFIRMED', direction: 'rollback' });
    await publishInvestment(context, 'INVESTMENT_REMOVE_ROLLED_BACK', investment, transaction);
  },
  async ended(context, transaction) {
    const investment = await lockInvestmentReturnedBy(context.tx, transaction.id);
    if (!investment) return;
    await setInvestmentRemoval(context, investment.id, null);
    await publishInvestment(context, 'INVESTMENT_REMOVE_EXPIRED', investment, transaction);
  },
};

async function publishInvestment(
  context: TransactionContext,
  type: EventTypeLike<'INVESTMENT_MADE'>,
  { id, vaultId, wallet, lovelace }: Investment,
  { hash, ownerWorkflow }: ChainTransaction,
) {
  const data = { investmentId: id, lovelace: lovelace.toString() };
  const event = { type, vaultId, actor: wallet, transactionHash: hash, correlationId: ownerWorkflow, data };
  await publish(context, { event });
}
