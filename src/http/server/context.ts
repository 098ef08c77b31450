import type { ServiceContext } from '../../services/context.ts';
import type { VoteBatcher } from '../../services/votes/vote-batcher.ts';
import type { OutboxRelay } from '../../temporal/outbox-relay.ts';
import type { ServerContext } from './app.ts';
import { routeFor } from './route.ts';

/** Something this process cannot serve requests without; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** Everything the api's routes work with. */
export interface ApiContext extends ServerContext, ServiceContext {
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  readonly voteBatcher: VoteBatcher;
  /** By name, as `/health/ready` shows them. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
}

/** Defines an operation; the only way to add one. */
export const route = routeFor<ApiContext>();
