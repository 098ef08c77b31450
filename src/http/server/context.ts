import type { ServiceContext } from '../../services/context.ts';
import type { VoteBatcher } from '../votes/vote-batcher.ts';
import type { OutboxRelay } from '../../temporal/outbox-relay.ts';
import type { ServerContext } from './app.ts';
import { routeFor } from './route.ts';

/** Checks something that this process needs to serve requests; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** What the routes of the api use. */
export interface ApiContext extends ServerContext, ServiceContext {
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  readonly voteBatcher: VoteBatcher;
  /** By the name that `/health/ready` shows. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
}

/** Defines an operation of the api. */
export const route = routeFor<ApiContext>();
