import type { Db } from '../platform/database/database.ts';
import { getVault } from './queries/vaults.ts';
import { getWindows, type VaultWindows } from './queries/windows.ts';
import type { VaultSchedule, WindowTransition } from '../platform/temporal/activity-types.ts';

/** When the windows of a vault open and close, in order, and when it has to be settled. */
export async function readSchedule(db: Db, vaultId: string): Promise<VaultSchedule> {
  const [vault, windows] = await Promise.all([getVault(db, vaultId), getWindows(db, vaultId)]);
  return { turns: transitionsOf(windows), settlesBy: vault.settlesBy, status: vault.status };
}

/** At one instant a window opens before another closes. */
function transitionsOf({ asset, investment }: VaultWindows): WindowTransition[] {
  const transitions = [asset, investment].flatMap(({ kind: window, startsAt, endsAt }): WindowTransition[] => [
    { window, turn: 'open', at: startsAt },
    { window, turn: 'close', at: endsAt },
  ]);
  return transitions.sort((one, other) => one.at - other.at || other.turn.localeCompare(one.turn));
}
