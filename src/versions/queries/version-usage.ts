import { sql } from 'kysely';
import { bulkInsert } from '../../platform/database/bulk-insert.ts';
import type { Db } from '../../platform/database/database.ts';

/** The requests to one version in one day. */
interface DayOfUsage {
  readonly version: string;
  readonly day: number;
  readonly requests: number;
  readonly errors: number;
  readonly durationMs: number;
  /** API keys. */
  readonly clients: ReadonlySet<string>;
}

/** Adds the usage that one process counted. The rows are locked in one order, so two processes never wait for each other. */
export async function addVersionUsage(db: Db, usage: readonly DayOfUsage[]): Promise<void> {
  const ordered = usage.toSorted((one, other) => one.day - other.day || (one.version < other.version ? -1 : 1));
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('version_usage')
      .values(
        ordered.map(({ day, version, requests, errors, durationMs }) => ({
          day: new Date(day),
          version,
          requests: BigInt(requests),
          errors: BigInt(errors),
          duration_ms: BigInt(Math.round(durationMs)),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['day', 'version']).doUpdateSet({
          requests: sql`version_usage.requests + excluded.requests`,
          errors: sql`version_usage.errors + excluded.errors`,
          duration_ms: sql`version_usage.duration_ms + excluded.duration_ms`,
        }),
      )
      .execute();
    const clients = ordered.flatMap(({ day, version, clients: ids }) =>
      [...ids].toSorted().map((api_key_id) => ({ day: new Date(day), version, api_key_id })),
    );
    const columns = { day: 'timestamptz', version: 'text', api_key_id: 'text' } as const;
    if (clients.length > 0)
      await bulkInsert(tx, 'version_clients', columns, clients)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}

export interface UsageTotal {
  readonly requests: number;
  readonly errors: number;
  readonly durationMs: number;
  readonly uniqueClients: number;
}

/** The usage by version since the start of a day. */
export async function versionUsageSince(db: Db, since: Date): Promise<Map<string, UsageTotal>> {
  const clients = db
    .selectFrom('version_clients')
    .where('day', '>=', since)
    .groupBy('version')
    .select(({ fn }) => ['version as used_version', fn.count<string>('api_key_id').distinct().as('clients')]);
  const usage = await db
    .selectFrom('version_usage')
    .leftJoin(clients.as('used'), 'used.used_version', 'version_usage.version')
    .where('day', '>=', since)
    .groupBy(['version', 'clients'])
    .select(({ fn }) => [
      'version',
      'clients',
      fn.sum<string>('requests').as('requests'),
      fn.sum<string>('errors').as('errors'),
      fn.sum<string>('duration_ms').as('duration_ms'),
    ])
    .execute();
  return new Map(
    usage.map(({ version, requests, errors, duration_ms, clients: uniqueClients }) => {
      const counts = { requests: Number(requests), errors: Number(errors), durationMs: Number(duration_ms) };
      return [version, { ...counts, uniqueClients: Number(uniqueClients ?? 0) }];
    }),
  );
}

/** Deletes the usage of the days before `before`. */
export async function deleteVersionUsage(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('version_usage').where('day', '<', before).execute();
  await db.deleteFrom('version_clients').where('day', '<', before).execute();
}
