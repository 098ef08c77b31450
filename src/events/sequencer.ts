import { setTimeout as pause } from 'node:timers/promises';
import { auditChainEnd, chainEntries, unchainedEntries, entryHash, FIRST_HASH } from '../access/queries/audit-log.ts';
import { hasUnnumberedEntries, lockNumbering, numberEvents, notifyNumbered } from './queries/events.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Logger } from '../platform/observability/logger.ts';

const BATCH = 500;

interface SequencerOptions {
  readonly db: Db;
  readonly logger: Logger;
  /** How long committed rows may wait for their numbers, in milliseconds. Other processes then hear of the change: within 100 ms. */
  readonly intervalMs?: number;
}

export interface Sequencer {
  /** Stops after the current batch. */
  close(): Promise<void>;
}

/**
 * Numbers events and chains audit entries after they were committed (design §6). Any number of processes may run one:
 * the one that finds work takes an advisory lock for one transaction, so numbers are dense and no leader is needed.
 */
export function startSequencer({ db, logger, intervalMs = 80 }: SequencerOptions): Sequencer {
  const closing = new AbortController();
  const ended = run();

  async function run(): Promise<void> {
    let failing = false;
    while (!closing.signal.aborted) {
      try {
        while ((await sequenceBatch(db)) === BATCH);
        failing = false;
      } catch (error) {
        // Postgres is unavailable or has closed the connection. Nothing is lost; one log entry per outage is enough.
        if (!failing) logger.error({ type: 'SYSTEM_ERROR', error }, 'events cannot be numbered');
        failing = true;
      }
      await pause(intervalMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}

/**
 * Numbers one batch of each; returns the larger of the two counts. 0 also when another process is numbering. Throws what fails, after the
 * other of the two was numbered alone.
 */
export async function sequenceBatch(db: Db): Promise<number> {
  if (!(await hasUnnumberedEntries(db))) return 0;
  try {
    return await whenLocked(db, async (tx) =>
      Math.max(await numberEvents(tx, BATCH), await extendAuditChain(tx, BATCH)),
    );
  } catch (error) {
    // An entry that cannot be chained would keep every event from its readers.
    for (const number of [numberEvents, extendAuditChain])
      await whenLocked(db, (tx) => number(tx, BATCH)).catch(() => undefined);
    throw error;
  }
}

function whenLocked(db: Db, number: (tx: Transaction) => Promise<number>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockNumbering(tx))) return 0;
    const numbered = await number(tx);
    if (numbered > 0) await notifyNumbered(tx);
    return numbered;
  });
}

/** Adds the oldest entries of the audit log to its chain; returns how many. The caller holds the numbering lock. */
async function extendAuditChain(tx: Transaction, limit: number): Promise<number> {
  const entries = await unchainedEntries(tx, limit);
  if (entries.length === 0) return 0;
  const end = await auditChainEnd(tx);
  let previousHash = end.hash ?? FIRST_HASH;
  const links = entries.map((entry, index) => {
    const seq = end.seq + BigInt(index + 1);
    const link = { id: entry.id, seq, previousHash, hash: entryHash(entry, String(seq), previousHash) };
    previousHash = link.hash;
    return link;
  });
  await chainEntries(tx, links);
  return links.length;
}
