import { type Selectable, sql } from 'kysely';
import { bulkInsert } from '../platform/database/statements.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../platform/database/page.ts';
import type { FeatureFlagsTable } from '../platform/database/tables/platform.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../platform/units/time.ts';
import { basisPoints } from '../platform/units/money.ts';
import type { AnnouncementKind, FeatureFlag } from './rules.ts';

export interface Announcement {
  readonly id: string;
  readonly kind: AnnouncementKind;
  /** The version of the API that it is about. */
  readonly version: string;
  readonly message: string;
  readonly effectiveAt: Instant | null;
  readonly link: string | null;
  readonly createdAt: Instant;
}

interface AnnouncementFilter {
  readonly kind?: AnnouncementKind | undefined;
  readonly version?: string | undefined;
}

export async function insertAnnouncement(
  tx: Transaction,
  announcement: Announcement,
  createdBy: string,
): Promise<void> {
  const { effectiveAt, createdAt, ...fields } = announcement;
  const times = { effective_at: effectiveAt === null ? null : new Date(effectiveAt), created_at: new Date(createdAt) };
  await tx
    .insertInto('announcements')
    .values({ ...fields, ...times, created_by: createdBy })
    .execute();
}

const columns = { createdAt: 'created_at' } as const;

/** A page of the announcements that match, and the total. */
export async function listAnnouncements(
  db: Db,
  filter: AnnouncementFilter,
  page: Page<'createdAt'>,
): Promise<{ announcements: Announcement[]; count: PageCount }> {
  const matching = db.selectFrom('announcements').where((eb) => eb.and(givenFields(filter)));
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  const announcements = rows.map(({ id, kind, version, message, effective_at, link, created_at }) => {
    const effectiveAt = effective_at && instant(effective_at);
    return { id, kind, version, message, effectiveAt, link, createdAt: instant(created_at) };
  });
  return { announcements, count };
}

/** Creates the flag or replaces the one with its name. */
export async function putFeatureFlag({ tx, now }: TransactionContext, flag: FeatureFlag): Promise<void> {
  const { name, enabled, version, rollout, clientIds, environments, startsAt } = flag;
  const fields = {
    enabled,
    version,
    rollout: Number(rollout),
    client_ids: [...clientIds],
    environments: [...environments],
    starts_at: startsAt === null ? null : new Date(startsAt),
    updated_at: new Date(now),
  };
  await tx
    .insertInto('feature_flags')
    .values({ name, ...fields, created_at: new Date(now) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(fields))
    .execute();
}

/** The number of flags besides the one with this name. */
export async function countOtherFlags(tx: Transaction, name: string): Promise<number> {
  const counting = tx.selectFrom('feature_flags').where('name', '!=', name);
  const { count } = await counting.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns false when there is no flag with this name. */
export async function deleteFeatureFlag(tx: Transaction, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('feature_flags').where('name', '=', name).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

const flagColumns = { name: 'name', updatedAt: 'updated_at' } as const;

/** A page of the flags, and the total. */
export async function listFeatureFlags(
  db: Db,
  { enabled }: { readonly enabled: boolean | undefined },
  page: Page<keyof typeof flagColumns>,
): Promise<{ flags: FeatureFlag[]; count: PageCount }> {
  const matching = db.selectFrom('feature_flags').where((eb) => eb.and(givenFields({ enabled })));
  const { rows, count } = await readPage(
    db,
    matching.selectAll(),
    matching,
    { columns: flagColumns, tieBreak: ['name'] },
    page,
  );
  return { flags: rows.map(flagOf), count };
}

/** The flags that are enabled, by name. */
export async function enabledFeatureFlags(db: Db): Promise<FeatureFlag[]> {
  const rows = await db.selectFrom('feature_flags').selectAll().where('enabled', '=', true).orderBy('name').execute();
  return rows.map(flagOf);
}

function flagOf(row: Selectable<FeatureFlagsTable>): FeatureFlag {
  return {
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    rollout: basisPoints(BigInt(row.rollout)),
    clientIds: row.client_ids,
    environments: row.environments,
    startsAt: row.starts_at && instant(row.starts_at),
  };
}

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
