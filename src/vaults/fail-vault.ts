import { type Instant, secondsAfter } from '../platform/units/instant.ts';
import { refundReasonOf, type TerminationReason } from './rules/vault.ts';
import { closeFence } from '../platform/database/fences.ts';
import { setFailureReason } from './queries/vault-changes.ts';
import { getVault } from './queries/vaults.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getWindows } from './queries/windows.ts';
import type { ServiceContext } from '../context.ts';
import { publish } from '../events/publish.ts';
import { latestLive } from '../transactions/platform-transactions.ts';
import { transitionWindow } from './transitions.ts';
import { endHold, releaseVault } from './holds.ts';
import { vaultFailed } from './vault-failed.ts';

/** With less time left before the deadline no mint is built. */
const MINT_SECONDS = 60;

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
    const { failedBecause, settlesBy } = await getVault(tx, vaultId);
    const isDue = reason === 'settlement_deadline' && now >= secondsAfter(settlesBy, -MINT_SECONDS);
    // Every other reason is recorded before. Anybody who reaches Temporal can ask for it.
    if (refundReasonOf(failedBecause) === null && !isDue) throw new Error(`vault ${vaultId} has no reason to fail`);
    if (reason === 'settlement_deadline' && latestLive(await vaultTransactions(tx, vaultId, ['mint']), 'mint'))
      return 'minted';
    await closeFence(tx, `window:${vaultId}:asset`);
    await closeFence(tx, `window:${vaultId}:investment`);
    if (await setFailureReason(context, vaultId, reason)) await publish(context, vaultFailed(vaultId, reason));
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
