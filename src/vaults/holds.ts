import type { HoldReason } from './rules/hold.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { recordAudit } from '../access/queries/audit-log.ts';
import { raiseHold, releaseHold } from './queries/holds.ts';
import { lockVaultRow } from './queries/vaults.ts';
import { platformEventFields, publish } from '../events/publish.ts';

/** Records and publishes why a due change of the vault waits (design D14). Does nothing once the vault is cancelled or failed. */
export async function holdVault(context: TransactionContext, vaultId: string, reason: HoldReason): Promise<void> {
  const { tx } = context;
  if ((await lockVaultRow(tx, vaultId)).failedBecause !== null) return;
  if (await raiseHold(context, vaultId, reason)) await publishHold(context, 'VAULT_HELD', vaultId, reason);
}

/** Ends and publishes every hold for a price: the vault has all its prices, or it has failed. */
export async function releaseVault(context: TransactionContext, vaultId: string): Promise<void> {
  for (const reason of ['stale_price', 'price_unavailable'] as const) await endHold(context, vaultId, reason);
}

/** Holds a vault, whatever its status, for something that an operator has to look at (design D45, D46). */
export async function holdForOperator(
  context: TransactionContext,
  vaultId: string,
  reason: 'quarantined' | 'repeated_failures' | 'unjustified_transaction',
): Promise<void> {
  if (await raiseHold(context, vaultId, reason)) await publishHold(context, 'VAULT_HELD', vaultId, reason);
}

/** Ends and publishes a hold of the vault; returns false when there is none. */
export async function endHold(context: TransactionContext, vaultId: string, reason: HoldReason): Promise<boolean> {
  const isHeld = await releaseHold(context.tx, vaultId, reason);
  if (isHeld) await publishHold(context, 'VAULT_RELEASED', vaultId, reason);
  return isHeld;
}

/** Ends the hold that an unjustified transaction has raised, once an operator knows who wrote it; returns false when there is none. */
export async function endAlarmHold(context: TransactionContext, vaultId: string): Promise<boolean> {
  if (!(await endHold(context, vaultId, 'unjustified_transaction'))) return false;
  // Only who reaches the database can do this: there is no caller to name.
  await recordAudit(context, {
    action: 'VAULT_ALARM_ENDED',
    actor: { id: 'operator', type: 'SYSTEM' },
    resource: { type: 'vault', id: vaultId },
    metadata: {},
  });
  return true;
}

async function publishHold(
  context: TransactionContext,
  type: 'VAULT_HELD' | 'VAULT_RELEASED',
  vaultId: string,
  reason: HoldReason,
): Promise<void> {
  const event = { type, ...platformEventFields(vaultId), transactionHash: null, data: { reason } };
  await publish(context, { event });
}
