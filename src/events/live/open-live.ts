import type { Authenticator } from '../../access/authentication.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import pLimit from 'p-limit';
import { wallClock } from '../../platform/units/clock.ts';
import { openEventFeed } from '../event-feed.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { limitReads, type LimitOf } from '../../platform/http/concurrency.ts';
import type { OnUnreadable } from '../../platform/database/decode-rows.ts';
import type { MicroCache } from '../../platform/http/micro-cache.ts';
import { createConnections } from './connections.ts';
import type { Live } from './live-context.ts';

/** Of its own, so that events arrive while requests use all of theirs: one reads new events, the others replay. */
const DATABASE_CONNECTIONS = 3;
const REPLAYS_AT_ONCE = DATABASE_CONNECTIONS - 1;
/** Thousands of subscriptions may be asked for, or checked again, at once; requests use the same connections. */
const CHECKS_AT_ONCE = 3;

interface LiveOptions {
  readonly databaseUrl: string;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly onUnreadable: OnUnreadable;
  readonly microCache: MicroCache;
  /** Milliseconds from one regular look-up of all keys and sessions to the next, if other than usual. */
  readonly checkEveryMs?: number | undefined;
}

export interface OpenedLive extends Live {
  /** Tells every client that this process stops. */
  readonly endConnections: () => void;
  close(): Promise<void>;
}

/** Opens the event feed of a process. Rejects when the database is unavailable. */
export async function openLive({ authenticator, checkEveryMs, ...options }: LiveOptions): Promise<OpenedLive> {
  const { databaseUrl, logger } = options;
  const warn = (message: string) => (error: unknown) => {
    logger.warn({ error }, message);
  };
  const db = openDatabase(databaseUrl, warn('an idle connection of the event feed was lost'), DATABASE_CONNECTIONS);
  const feed = await openEventFeed({ ...options, db, replaysAtOnce: REPLAYS_AT_ONCE });
  const connections = createConnections(
    { authenticator, clock: wallClock },
    warn('the callers of open connections cannot be checked'),
    checkEveryMs,
  );
  return {
    feed,
    connections,
    checks: checksOf(),
    replays: fairly(REPLAYS_AT_ONCE),
    endConnections() {
      connections.close(new ServiceError('SERVICE_STOPPING'));
    },
    async close() {
      await feed.close();
      await db.destroy();
    },
  };
}

function checksOf(): LimitOf {
  const [ofAll, ofVisitor] = [pLimit(CHECKS_AT_ONCE), fairly(CHECKS_AT_ONCE)];
  return (visitor) => (work) => ofVisitor(visitor)(() => ofAll(work));
}

/** One of a visitor at a time, and one less than there are of an IP address, whose wallets cost nothing: others never wait for all of them. */
function fairly(concurrency: number): LimitOf {
  return limitReads({ perVisitor: 1, perAddress: concurrency - 1, maxQueued: Infinity });
}
