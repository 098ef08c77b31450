import { sql } from 'kysely';
import { checkSerializationLibrary } from '../../../cardano/canary.ts';
import { requirePlatform } from '../../../access/actor.ts';
import { requireWorker } from '../../worker-presence.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { ReadinessCheck } from './readiness.ts';

/** What the api needs to serve requests. `probeDb` has a connection of its own, so that a check never waits for requests. */
export function apiChecks(probeDb: Db): Readonly<Record<string, ReadinessCheck>> {
  return {
    database: async () => {
      await sql`select 1`.execute(probeDb);
    },
    platform: async () => {
      await requirePlatform(probeDb);
    },
    worker: () => requireWorker(probeDb),
    serialization: () => Promise.resolve().then(checkSerializationLibrary),
  };
}
