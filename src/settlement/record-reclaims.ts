import type { FollowedBlock } from '../ledger-follower/queries/blocks.ts';
import { extendReclaimCheck } from './queries/reclaim-checks.ts';
import { setReclaimHash } from './queries/returned-deposits.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { releaseDeposits, restoreDeposits } from './release-deposits.ts';
import { type DepositRef } from '../transactions/queries/transaction-deposits.ts';
import { reviseEntitlements } from './revise-entitlements.ts';

/** A deposit that its owner has reclaimed alone after T, by a transaction of their own (design D20). */
export interface Reclaim extends DepositRef {
  readonly owner: string;
  readonly transactionHash: string;
}

/** Reclaims, and the last block that the follower had recorded before they were found. */
interface FoundReclaims {
  readonly reclaims: readonly Reclaim[];
  readonly seen: Pick<FollowedBlock, 'height' | 'hash'> | null;
}

/** Records reclaimed deposits, and revises a settlement that is under way. */
export async function recordReclaims(
  context: TransactionContext,
  vaultId: string,
  { reclaims, seen }: FoundReclaims,
): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  await releaseDeposits(context, reclaims, 'reclaimed');
  for (const reclaim of reclaims) {
    await setReclaimHash(context.tx, reclaim, reclaim.transactionHash);
    await publishDeposit(context, 'DEPOSIT_RECLAIMED', vaultId, reclaim, reclaim.transactionHash);
  }
  if (seen) await extendReclaimCheck(context.tx, vaultId, seen);
  await reviseEntitlements(context, vault, reclaims);
}

/** Undoes `recordReclaims` for deposits that are in the vault again, because the ledger was rolled back. */
export async function undoReclaims(
  context: TransactionContext,
  vaultId: string,
  deposits: readonly Omit<Reclaim, 'transactionHash'>[],
): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  await restoreDeposits(context, deposits);
  for (const deposit of deposits) await publishDeposit(context, 'DEPOSIT_RECLAIM_ROLLED_BACK', vaultId, deposit, null);
  await reviseEntitlements(context, vault, deposits);
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
