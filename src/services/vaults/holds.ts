import type { HoldReason } from '../../domain/vault/hold.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { raiseHold, releaseHold } from '../../store/holds.ts';
import { lockVaultRow } from '../../store/vaults.ts';
import { platformEventFields, publish } from '../publish.ts';

/** Records and publishes why a due change of the vault waits (design D14). Does nothing once the vault is cancelled or failed. */
export async function holdVault(context: TransactionContext, vaultId: string, reason: HoldReason): Promise<void> {
  const { tx } = context;
  if ((await lockVaultRow(tx, vaultId)).failedBecause !== null) return;
  if (!(await raiseHold(context, vaultId, reason))) return;
  await publish(context, {
    event: { type: 'VAULT_HELD', ...platformEventFields(vaultId), transactionHash: null, data: { reason } },
  });
}

/** Ends and publishes every hold of the vault: it has all its prices, or it has failed. */
export async function releaseVault(context: TransactionContext, vaultId: string): Promise<void> {
  for (const reason of ['stale_price', 'price_unavailable'] as const) {
    if (!(await releaseHold(context.tx, vaultId, reason))) continue;
    await publish(context, {
      event: { type: 'VAULT_RELEASED', ...platformEventFields(vaultId), transactionHash: null, data: { reason } },
    });
  }
}
