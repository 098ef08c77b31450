import type { NetworkState } from '../../cardano/ledger/network-state.ts';

/** The ledger's clock and that of who counts a duration differ by less. */
const CLOCK_SKEW_SECONDS = 3_600;

/** The first slot in which so many seconds after another one may be over. */
export function slotsAfter({ anchor }: Pick<NetworkState, 'anchor'>, slot: number, seconds: number): number {
  return slot + Math.floor(((seconds - CLOCK_SKEW_SECONDS) * 1000) / anchor.slotLengthMs);
}
