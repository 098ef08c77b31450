import type { Instant } from '../../domain/units/instant.ts';
import type { TerminationReason } from '../../domain/vault/vault.ts';
import { closeFence } from '../../store/fences.ts';
import { setFailureReason } from '../../store/vault-changes.ts';
import { getWindows } from '../../store/windows.ts';
import type { ServiceContext } from '../context.ts';
import { transitionWindow } from './transitions.ts';
import { releaseVault } from './holds.ts';

interface FailVault {
  readonly vaultId: string;
  readonly reason: TerminationReason;
  readonly now: Instant;
}

/** Decides, while nothing is minted, that all deposits of a vault go back to their owners; its open windows fail. */
export async function failVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, reason, now }: FailVault,
): Promise<void> {
  await unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    await closeFence(tx, `window:${vaultId}:asset`);
    await closeFence(tx, `window:${vaultId}:investment`);
    await setFailureReason(context, vaultId, reason);
    await releaseVault(context, vaultId);
    const { asset, investment } = await getWindows(tx, vaultId);
    for (const window of [asset, investment]) {
      if (window.status === 'PENDING' || window.status === 'ACTIVE')
        await transitionWindow(context, vaultId, window, 'FAILED');
    }
  });
}
