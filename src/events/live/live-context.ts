import type { EventFeed } from '../event-tail.ts';
import type { ServerContext } from '../../platform/http/app.ts';
import type { LimitOf } from '../../platform/http/concurrency.ts';
import type { ServiceContext } from '../../context.ts';
import type { Connections } from './connections.ts';

/** What connections that stay open share in a process. */
export interface Live {
  readonly feed: EventFeed;
  readonly connections: Connections;
  /** What asks whether topics may be followed: not more at once than leaves the requests their connections to the database. */
  readonly checks: LimitOf;
  /** What reads earlier events. */
  readonly replays: LimitOf;
}

/** What serves them. */
export type LiveContext = Live &
  Pick<ServerContext, 'db' | 'wallClock' | 'ids' | 'logger'> &
  Pick<ServiceContext, 'networkId'>;
