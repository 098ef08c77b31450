import { type Instant, instant } from '../platform/units/instant.ts';
import { refundReasonOf } from './rules/vault.ts';
import type { Window, WindowKind } from './rules/window.ts';
import { closeFence } from '../platform/database/fences.ts';
import { getVault, type Vault } from './queries/vaults.ts';
import { getWindows } from './queries/windows.ts';
import type { Failure } from '../platform/temporal/activity-types.ts';
import type { WorkerContext } from '../worker-context.ts';
import { closeDueWindows, closeTogether } from './close-due-windows.ts';
import { activateVault, transitionWindow } from './transitions.ts';

interface TurnWindow {
  readonly vaultId: string;
  readonly window: WindowKind;
  readonly turn: 'open' | 'close';
  readonly now: Instant;
}

/** Opens or closes a window of a vault, once; the first that closes takes along the others that are due. Returns the reason when the vault has failed, by this or before. */
export async function turnWindow(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  { vaultId, window: kind, turn, now }: TurnWindow,
): Promise<Failure | null> {
  const { vault, window, isDue } = await unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    await closeFence(tx, `window:${vaultId}:${kind}`);
    const window = (await getWindows(tx, vaultId))[kind];
    const isDue = window.status === (turn === 'open' ? 'PENDING' : 'ACTIVE');
    // Anybody who reaches Temporal can ask for it.
    if (isDue && now < window[turn === 'open' ? 'startsAt' : 'endsAt'])
      throw new Error(`the ${kind} window of vault ${vaultId} is not to ${turn} yet`);
    if (turn === 'open') {
      if (isDue) await transitionWindow(context, vaultId, window, 'ACTIVE');
      await activateVault(context, vaultId);
    } else if (isDue) await closeTogether(context, [{ vaultId, ...window }]);
    return { vault: await getVault(tx, vaultId), window, isDue };
  });
  if (isDue) onTransition(`${kind}_window_${turn}`, dueAt(turn, window, vault));
  if (isDue && turn === 'close') await closeDueWindows({ unitOfWork, onTransition }, now);
  const reason = refundReasonOf(vault.failedBecause);
  return reason === null ? null : { reason };
}

/** A window may start in the past; its opening was not due before the vault was created. */
function dueAt(turn: TurnWindow['turn'], { startsAt, endsAt }: Window, { createdAt }: Vault): Instant {
  return instant(turn === 'open' ? Math.max(startsAt, createdAt) : endsAt);
}
