import { sql } from 'kysely';

/** Today (UTC) by the clock of Postgres, which nobody moves: fees are paid in real time. */
export const realDay = sql<string>`(now() at time zone 'utc')::date`;
