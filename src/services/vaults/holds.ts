import type { HoldReason } from '../../domain/vault/hold.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { recordEvent } from '../../store/events.ts';
import { raiseHold, releaseHold } from '../../store/prices.ts';
import { platformEvent } from './change-status.ts';
import { lockVaultRow } from '../../store/vaults.ts';

/** Shows that a vault waits although its time has come (design D14), unless it has been cancelled or has failed meanwhile. */
export async function holdVault(
  { tx, ids, now }: TransactionContext,
  vaultId: string,
  reason: HoldReason,
): Promise<void> {
  if ((await lockVaultRow(tx, vaultId)).failedBecause !== null) return;
  if (!(await raiseHold(tx, vaultId, reason, now))) return;
  const event = { type: 'VAULT_HELD', transactionHash: null, data: { reason }, ...platformEvent(vaultId) } as const;
  await recordEvent(tx, ids, event, now);
}

/** The vault waits for no price any more: it has them all, or it has failed. */
export async function releaseVault({ tx, ids, now }: TransactionContext, vaultId: string): Promise<void> {
  for (const reason of ['stale_price', 'price_unavailable'] as const) {
    if (!(await releaseHold(tx, vaultId, reason))) continue;
    const data = { reason };
    await recordEvent(tx, ids, { type: 'VAULT_RELEASED', transactionHash: null, data, ...platformEvent(vaultId) }, now);
  }
}
