import type { Entitlement } from '../../store/entitlements.ts';
import { setReclaimHash } from '../../store/returned-deposits.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { lockVaultRow } from '../../store/vaults.ts';
import { platformEventFields, publish } from '../publish.ts';
import { releaseDeposit, restoreDeposit } from './release-deposits.ts';
import { type DepositRef } from '../../store/transaction-deposits.ts';
import { reviseEntitlements } from './revise-entitlements.ts';

/** A deposit that its owner has reclaimed alone after T, by a transaction of their own (design D20). */
export interface Reclaim extends DepositRef {
  readonly owner: string;
  readonly transactionHash: string;
}

/** Records reclaimed deposits, and revises a settlement that is under way. Returns the entitlements as they are afterwards. */
export async function recordReclaims(
  context: TransactionContext,
  vaultId: string,
  reclaims: readonly Reclaim[],
): Promise<readonly Entitlement[]> {
  const vault = await lockVaultRow(context.tx, vaultId);
  for (const reclaim of reclaims) {
    await releaseDeposit(context, reclaim, 'reclaimed');
    await setReclaimHash(context.tx, reclaim, reclaim.transactionHash);
    await publishDeposit(context, 'DEPOSIT_RECLAIMED', vaultId, reclaim, reclaim.transactionHash);
  }
  return reviseEntitlements(context, vault, reclaims);
}

/**
 * Undoes `recordReclaims` for deposits that are in the vault again, because the ledger was rolled back. Returns the
 * entitlements as they are afterwards.
 */
export async function undoReclaims(
  context: TransactionContext,
  vaultId: string,
  deposits: readonly Omit<Reclaim, 'transactionHash'>[],
): Promise<readonly Entitlement[]> {
  const vault = await lockVaultRow(context.tx, vaultId);
  for (const deposit of deposits) {
    await restoreDeposit(context, deposit);
    await publishDeposit(context, 'DEPOSIT_RECLAIM_ROLLED_BACK', vaultId, deposit, null);
  }
  return reviseEntitlements(context, vault, deposits);
}

async function publishDeposit(
  context: TransactionContext,
  type: 'DEPOSIT_RECLAIMED' | 'DEPOSIT_RECLAIM_ROLLED_BACK',
  vaultId: string,
  { depositId, depositKind, owner }: Omit<Reclaim, 'transactionHash'>,
  transactionHash: string | null,
): Promise<void> {
  const source = { ...platformEventFields(vaultId), actor: owner, transactionHash };
  await publish(context, { event: { type, ...source, data: { depositId, depositKind } } });
}
