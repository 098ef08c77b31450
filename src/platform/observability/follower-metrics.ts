import { Counter, Gauge, type Registry } from 'prom-client';

/** How far the ledger is followed; null what is not known. */
interface Following {
  readonly lagBlocks: number | null;
  readonly lagSeconds: number | null;
  readonly isHeld: boolean;
}

/** Returns a function that reads how far the ledger is followed into the metrics; what cannot be read is left out. */
export function ledgerFollowing(registry: Registry, read: () => Promise<Following>): () => Promise<void> {
  const blocks = new Gauge({
    name: 'ledger_follower_lag_blocks',
    help: 'Blocks of the ledger that are not followed yet',
    registers: [registry],
  });
  const seconds = new Gauge({
    name: 'ledger_follower_lag_seconds',
    help: 'Age of the last followed block; also grows while the ledger makes no blocks',
    registers: [registry],
  });
  const held = new Gauge({
    name: 'ledger_follower_held',
    help: 'Whether the ledger has another history that an operator has to accept (1 or 0)',
    registers: [registry],
  });
  return async () => {
    for (const gauge of [blocks, seconds, held]) gauge.remove();
    const following = await read().catch(() => null);
    if (following === null) return;
    held.set(following.isHeld ? 1 : 0);
    if (following.lagBlocks !== null) blocks.set(following.lagBlocks);
    if (following.lagSeconds !== null) seconds.set(following.lagSeconds);
  };
}

/** Returns a function that counts what blocks say of transactions and could not be recorded (design D45). */
export function unrecordedCounter(registry: Registry): () => void {
  const unrecorded = new Counter({
    name: 'unrecorded_transactions_total',
    help: 'Times that what a block says of a transaction could not be recorded, because its row or that of its vault cannot be read: each is an alarm',
    registers: [registry],
  });
  return () => {
    unrecorded.inc();
  };
}
