import type { Transaction } from '../../store/database.ts';
import { tryShareFence } from '../../store/fences.ts';

/**
 * Whether the workflow of the vault waits for its last deposits to reach the ledger: both windows are over, or the vault has
 * failed. A window that is open stays open until `tx` ends, so the transaction that closes it sees the changes of `tx`. A
 * window that is closing at this moment may not see them, so the answer is then true.
 */
export async function vaultAwaitsDeposits(tx: Transaction, vaultId: string): Promise<boolean> {
  for (const kind of ['asset', 'investment'] as const) {
    if (!(await tryShareFence(tx, `window:${vaultId}:${kind}`))) return true;
  }
  const row = await tx
    .selectFrom('vaults')
    .select((query) => [
      'failed_because',
      query
        .selectFrom('windows')
        .select((count) => count.fn.countAll<string>().as('open'))
        .whereRef('windows.vault_id', '=', 'vaults.id')
        .where('windows.status', 'in', ['PENDING', 'ACTIVE'])
        .as('open_windows'),
    ])
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  return row.failed_because !== null || row.open_windows === '0';
}
