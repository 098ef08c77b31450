import type { CoreContext } from './app.ts';
import { routeFor } from './route.ts';

/** Something this process cannot serve requests without; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** Everything the api's routes work with. */
export interface ApiContext extends CoreContext {
  /** By name, as `/health/ready` shows them. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
}

/** Defines an operation; the only way to add one. */
export const route = routeFor<ApiContext>();
