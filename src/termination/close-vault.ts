import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import type { TerminationStage } from '../platform/temporal/activity-types.ts';
import { transitionVault } from '../vaults/transitions.ts';
import type { TerminationContext, VaultMoment } from './termination-transactions.ts';

/** Terminates a vault whose last transaction is final; it waits while a consequence is in quarantine. */
export function closeVault(
  { unitOfWork }: TerminationContext,
  { id }: Pick<Vault, 'id'>,
  { now }: VaultMoment,
): Promise<Pick<TerminationStage, 'step'>> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    const vault = await lockVaultRow(context.tx, id);
    if (await isVaultInQuarantine(context.tx, id)) return { step: 'close_vault' };
    if (vault.status === 'LOCKED' && vault.failedBecause !== null)
      await transitionVault(context, vault, { status: 'TERMINATED', terminationReason: vault.failedBecause });
    return { step: 'ended' };
  });
}
