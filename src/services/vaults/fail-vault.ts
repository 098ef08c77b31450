import type { Instant } from '../../domain/units/instant.ts';
import type { TerminationReason } from '../../domain/vault/vault.ts';
import { closeFence } from '../../store/fences.ts';
import { setFailureReason } from '../../store/vault-changes.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getWindows } from '../../store/windows.ts';
import type { ServiceContext } from '../context.ts';
import { latestLive } from '../transactions/platform-transactions.ts';
import { transitionWindow } from './transitions.ts';
import { endHold, releaseVault } from './holds.ts';

interface FailVault {
  readonly vaultId: string;
  readonly reason: TerminationReason;
  readonly now: Instant;
}

/**
 * Decides, while nothing is minted, that all deposits of a vault go back to their owners; its open windows fail. Returns 'minted',
 * and changes nothing, when the settlement deadline comes to a vault whose mint has landed or still may.
 */
export function failVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, reason, now }: FailVault,
): Promise<'minted' | undefined> {
  return unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    if (reason === 'settlement_deadline' && latestLive(await vaultTransactions(tx, vaultId, ['mint']), 'mint'))
      return 'minted';
    await closeFence(tx, `window:${vaultId}:asset`);
    await closeFence(tx, `window:${vaultId}:investment`);
    await setFailureReason(context, vaultId, reason);
    await releaseVault(context, vaultId);
    await endHold(context, vaultId, 'repeated_failures');
    const { asset, investment } = await getWindows(tx, vaultId);
    for (const window of [asset, investment]) {
      if (window.status === 'PENDING' || window.status === 'ACTIVE')
        await transitionWindow(context, vaultId, window, 'FAILED');
    }
    return undefined;
  });
}
