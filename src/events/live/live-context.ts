import type { EventFeed } from '../event-feed.ts';
import type { ServerContext } from '../../platform/http/app.ts';
import type { TurnsOf } from '../../platform/http/read-turns.ts';
import type { ServiceContext } from '../../context.ts';
import type { Connections } from './connections.ts';

/** What connections that stay open share in a process. */
export interface Live {
  readonly feed: EventFeed;
  readonly connections: Connections;
  /** What asks whether topics may be followed: not more at once than leaves the requests their connections to the database. */
  readonly checks: TurnsOf;
  /** What reads earlier events. */
  readonly replays: TurnsOf;
}

/** What serves them. */
export type LiveContext = Live &
  Pick<ServerContext, 'db' | 'wallClock' | 'ids' | 'logger'> &
  Pick<ServiceContext, 'networkId'>;
