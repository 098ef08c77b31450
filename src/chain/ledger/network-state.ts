import type { Clock } from '../../domain/units/clock.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Ledger } from './ledger.ts';
import type { ChainContext } from './parameters.ts';
import type { SlotAnchor } from './slots.ts';
import type { NetworkId } from '../transaction.ts';

/** What building a transaction takes besides its inputs. */
export interface NetworkState extends ChainContext {
  readonly anchor: SlotAnchor;
}

/** Parameters change at an epoch's turn at most, so they are asked for again after this long. */
const LIFETIME_MS = 60_000;

interface NetworkStateSource {
  readonly ledger: Pick<Ledger, 'protocolParameters' | 'slotAnchor'>;
  readonly networkId: NetworkId;
}

/** Reads the network's parameters and slots as they are now. Throws LEDGER_UNAVAILABLE. */
export async function readNetworkState({ ledger, networkId }: NetworkStateSource): Promise<NetworkState> {
  const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
  return { networkId, parameters, anchor };
}

/**
 * As `readNetworkState`, remembered for a minute of `wallClock` and asked for once by whoever ask at the same time. Slots can be
 * reckoned from any block, so an old tip tells them as well as a new one.
 */
export function createNetworkStateCache(
  source: NetworkStateSource & { readonly wallClock: Clock },
): () => Promise<NetworkState> {
  let known: { readonly facts: NetworkState; readonly readAt: Instant } | null = null;
  let asking: Promise<NetworkState> | null = null;

  async function ask(): Promise<NetworkState> {
    const readAt = source.wallClock.now();
    try {
      const facts = await readNetworkState(source);
      known = { facts, readAt };
      return facts;
    } finally {
      asking = null;
    }
  }

  return async () => {
    if (known !== null && source.wallClock.now() - known.readAt <= LIFETIME_MS) return known.facts;
    return (asking ??= ask());
  };
}
