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

interface ChainFactsSource {
  readonly ledger: Pick<Ledger, 'protocolParameters' | 'slotAnchor'>;
  readonly networkId: NetworkId;
}

/** Reads the network's parameters and slots as they are now. Raises LEDGER_UNAVAILABLE. */
export async function readChainFacts({ ledger, networkId }: ChainFactsSource): Promise<ChainFacts> {
  const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
  return { networkId, parameters, anchor };
}

/** As `readChainFacts`, remembered for a minute of `wallClock`. */
export function createChainFacts(source: ChainFactsSource & { readonly wallClock: Clock }): () => Promise<ChainFacts> {
  let known: { readonly facts: ChainFacts; readonly readAt: Instant } | null = null;
  return async () => {
    const now = source.wallClock.now();
    if (known === null || now - known.readAt > LIFETIME_MS)
      known = { facts: await readChainFacts(source), readAt: now };
    return known.facts;
  };
}
