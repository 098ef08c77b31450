import type { EncryptionContext, AnchoredActionQuota, ServiceContext } from './context.ts';
import type { VoteBatcher } from './votes/routes/vote-batcher.ts';
import type { Readiness } from './operations/routes/health/readiness.ts';
import type { OutboxRelay } from './platform/temporal/workflow-outbox-relay.ts';
import type { Live } from './events/live/live-context.ts';
import type { LoginContext } from './access/sessions.ts';
import type { ServerContext } from './platform/http/app.ts';
import type { Db } from './platform/database/database.ts';
import { routeFor } from './platform/http/route.ts';

/** What the routes of the api use. */
export interface ApiContext
  extends ServerContext, ServiceContext, EncryptionContext, AnchoredActionQuota, LoginContext {
  /** For reads of everything that a vault ever had: a few at a time, and not for long, so that all other requests have connections. */
  readonly books: Db;
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  readonly voteBatcher: VoteBatcher;
  readonly readiness: Readiness;
  readonly live: Live;
  /** Name of the deployment, as in its API keys. */
  readonly environment: string;
}

/** Defines an operation of the api. */
export const route = routeFor<ApiContext>();
