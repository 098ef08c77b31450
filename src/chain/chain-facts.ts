import type { Clock } from '../domain/clock.ts';
import type { Instant } from '../domain/instant.ts';
import type { Ledger } from './ledger.ts';
import type { ChainContext } from './parameters.ts';
import type { SlotAnchor } from './slots.ts';
import type { NetworkId } from './transaction.ts';

/** What building a transaction takes besides its inputs. */
export interface ChainFacts extends ChainContext {
  readonly anchor: SlotAnchor;
}

/** Parameters change at an epoch's turn at most, so they are asked for again after this long. */
const LIFETIME_MS = 60_000;

/** Reads the network's parameters and slots, and remembers them for a minute of `wallClock`. Raises LEDGER_UNAVAILABLE. */
export function createChainFacts({ ledger, wallClock, networkId }: ChainFactsDeps): () => Promise<ChainFacts> {
  let known: { readonly facts: ChainFacts; readonly readAt: Instant } | null = null;
  return async () => {
    if (known === null || wallClock.now() - known.readAt > LIFETIME_MS) {
      const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
      known = { facts: { networkId, parameters, anchor }, readAt: wallClock.now() };
    }
    return known.facts;
  };
}

interface ChainFactsDeps {
  readonly ledger: Pick<Ledger, 'protocolParameters' | 'slotAnchor'>;
  readonly wallClock: Clock;
  readonly networkId: NetworkId;
}
