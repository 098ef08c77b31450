import { requireMayActFor, type Caller } from '../access/rules.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Investment, lockInvestment, setInvestmentRemoval } from './queries/investments.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { startDepositReturn } from '../transactions/return-deposit.ts';
import { requireOpenWindow } from '../vaults/require-vault.ts';

interface RemoveInvestmentInput {
  readonly vaultId: string;
  readonly investmentId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Returns an investment to its investor while the investment window is open, by a transaction that the platform signs and
 * the delivery deposit pays for (design D41).
 */
export async function removeInvestment(
  context: TransactionContext,
  { networkId }: ServiceContext,
  { vaultId, investmentId, caller, correlationId }: RemoveInvestmentInput,
  chain: NetworkState,
): Promise<BuiltTransaction> {
  const { vault, window } = await requireOpenWindow(context, caller, vaultId, 'investment');
  const investment = await lockInvestment(context.tx, investmentId);
  if (investment?.vaultId !== vault.id) throw new ServiceError('INVESTMENT_NOT_FOUND');
  const { wallet: owner, transactionId: depositTransactionId, lovelace } = investment;
  const onBehalfOf = requireMayActFor(caller, owner);
  requireRemovable(investment);

  const returning = { kind: 'remove_investment', vault, window, owner, depositTransactionId, depositIndex: 0 } as const;
  const started = await startDepositReturn(context, { networkId }, returning, chain);
  if (!started) throw new ServiceError('INVESTMENT_ALREADY_LEAVING');
  const { transaction, transactionId } = started;
  await setInvestmentRemoval(context, investmentId, transactionId);
  await publishAction(context, {
    action: 'INVESTMENT_REMOVE_STARTED',
    vaultId,
    actor: owner,
    transactionHash: transaction.hash,
    correlationId,
    eventData: { investmentId, lovelace: lovelace.toString() },
    resource: { type: 'investment', id: investmentId },
    caller,
    onBehalfOf,
    metadata: { vaultId, transactionHash: transaction.hash },
  });
  return transaction;
}

function requireRemovable({ status, removeTransactionId }: Investment): void {
  if (status === 'REFUNDED' || status === 'EXPIRED') throw new ServiceError('INVESTMENT_ALREADY_RETURNED');
  if (removeTransactionId !== null) throw new ServiceError('INVESTMENT_ALREADY_LEAVING');
  if (status !== 'CONFIRMED') throw new ServiceError('INVESTMENT_NOT_CONFIRMED');
}
