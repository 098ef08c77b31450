import { singleFlight } from '../../platform/async.ts';
import type { Ledger } from './ledger.ts';
import type { ChainContext } from './parameters.ts';
import type { SlotAnchor } from './slots.ts';
import type { NetworkId } from '../transaction.ts';

/** Everything about the network that building a transaction needs. */
export interface NetworkState extends ChainContext {
  readonly anchor: SlotAnchor;
}

/** Parameters change only at the start of an epoch, so they are read again after this time. */
const LIFETIME_MS = 60_000;

interface NetworkStateSource {
  readonly ledger: Pick<Ledger, 'protocolParameters' | 'slotAnchor'>;
  readonly networkId: NetworkId;
}

/** Reads the current protocol parameters and slot anchor. */
export async function readNetworkState({ ledger, networkId }: NetworkStateSource): Promise<NetworkState> {
  const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
  return { networkId, parameters, anchor };
}

/**
 * As `readNetworkState`, cached for a minute; simultaneous callers share one read. Slots can be computed from any block,
 * so an old tip serves as well as a new one.
 */
export function createNetworkStateCache(source: NetworkStateSource): () => Promise<NetworkState> {
  let known: { readonly state: NetworkState; readonly readAt: number } | null = null;

  const read = singleFlight(async () => {
    const readAt = performance.now();
    const state = await readNetworkState(source);
    known = { state, readAt };
    return state;
  });

  return async () => {
    if (known !== null && performance.now() - known.readAt <= LIFETIME_MS) return known.state;
    return read();
  };
}
