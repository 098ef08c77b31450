import type { Instant } from '../platform/units/instant.ts';
import { refundReasonOf, type TerminationReason } from './rules/vault.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { holdsDeposit } from '../settlement/queries/returned-deposits.ts';
import { isAnyUnlanded } from '../transactions/queries/vault-transactions.ts';
import { lockVaultRow } from './queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { transitionVault } from './transitions.ts';

interface TerminateVault {
  readonly vaultId: string;
  readonly reason: TerminationReason;
  readonly now: Instant;
}

/**
 * Terminates a vault whose deposits are back; 'refunding' while one is not, while a rollback has removed a refund from the ledger, or
 * while a consequence is in quarantine.
 */
export async function terminateVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, reason, now }: TerminateVault,
): Promise<'refunding' | 'terminated'> {
  return unitOfWork(async ({ tx, ids }) => {
    const vault = await lockVaultRow(tx, vaultId);
    // Anybody who reaches Temporal can ask for it.
    if (refundReasonOf(vault.failedBecause) === null) throw new Error(`vault ${vaultId} has not failed`);
    if (await isAnyUnlanded(tx, vaultId, ['refund'])) return 'refunding';
    if ((await holdsDeposit(tx, vaultId)) || (await isVaultInQuarantine(tx, vaultId))) return 'refunding';
    if (vault.status !== 'TERMINATED')
      await transitionVault({ tx, ids, now }, vault, { status: 'TERMINATED', terminationReason: reason });
    return 'terminated';
  });
}
