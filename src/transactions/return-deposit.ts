import { buildDepositReturn, depositOf } from '../cardano/build/deposits.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { deadlineBefore } from '../cardano/ledger/http.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import { findTransaction } from './queries/transactions.ts';
import { recordTransaction } from './queries/recorded-transactions.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Window } from '../vaults/rules/window.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { requireTimeToConfirm } from '../vaults/require-vault.ts';
import { startTransactionWorkflow } from './record-transaction.ts';

interface ReturningDeposit {
  readonly kind: 'remove_asset' | 'remove_investment';
  readonly vault: Vault;
  /** The return is confirmed before this window ends. */
  readonly window: Window;
  readonly owner: string;
  /** The transaction that brought the deposit, and the index of its output that holds it. */
  readonly depositTransactionId: string;
  readonly depositIndex: number;
}

export interface StartedReturn {
  readonly transactionId: string;
  readonly transaction: BuiltTransaction;
}

/**
 * Returns a deposit to its owner while a window is open, by a transaction that the platform signs and the delivery deposit pays
 * for (design D16, D41). Null when another transaction spends the deposit.
 */
export async function startDepositReturn(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  { kind, vault, window, owner, depositTransactionId, depositIndex }: ReturningDeposit,
  chain: NetworkState,
): Promise<StartedReturn | null> {
  const deadline = deadlineBefore(window.endsAt, context.now, chain.anchor);
  requireTimeToConfirm(deadline, window, context);
  const brought = await findTransaction(context.tx, depositTransactionId);
  const deposits = [depositOf({ owner, outputs: brought?.outputs ?? [], depositIndex }, vault, networkId)];
  const { transaction } = buildDepositReturn(chain, {
    deposits,
    signers: [vault.settlementKeyHash],
    ttlSlot: deadline.ttlSlot,
  });
  const id = context.ids.next();
  const record = { id, kind, vaultId: vault.id, ownerWorkflow: transactionWorkflowId(id), signer: 'platform' } as const;
  const { expiresAt } = deadline;
  const outcome = await recordTransaction(context, { ...record, wallet: owner, expiresAt, built: transaction });
  if (outcome !== 'recorded') return null;
  await startTransactionWorkflow(context, record);
  return { transactionId: id, transaction };
}
