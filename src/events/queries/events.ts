import { type RawBuilder, sql } from 'kysely';
import type { EventData } from './event-data.ts';
import type { EventType } from './event-types.ts';
import type { Topic } from '../rules.ts';
import { bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';

/** An event of any type, with the data of its type. */
export type NewEvent = { [Type in EventType]: EventFields & { type: Type; data: EventData[Type] } }[EventType];

/** What every event has. */
export interface EventFields {
  vaultId: string | null;
  /** The wallet that acted, or `platform`. */
  actor: string;
  /** Other wallets that it concerns: they hear of it too. */
  wallets?: readonly string[];
  transactionHash: string | null;
  correlationId: string;
}

/** The statement that records events in the transaction of the change that caused them; numbered in this order after the commit. */
export function eventInsert({ tx, ids, now }: TransactionContext, events: readonly NewEvent[]) {
  const rows = events.map((event) => ({
    id: ids.next(),
    type: event.type,
    vault_id: event.vaultId,
    actor: event.actor,
    wallets: event.wallets?.length ? JSON.stringify(event.wallets) : null,
    transaction_hash: event.transactionHash,
    correlation_id: event.correlationId,
    data: JSON.stringify(event.data),
    occurred_at: new Date(now),
  }));
  return bulkInsert(tx, 'outbox', columns, rows);
}

const columns = {
  id: 'uuid',
  type: 'text',
  vault_id: 'uuid',
  actor: 'text',
  wallets: 'jsonb',
  transaction_hash: 'text',
  correlation_id: 'text',
  data: 'jsonb',
  occurred_at: 'timestamptz',
} as const;

/** Which events are kept, by their numbers; both 0 before the first one. */
export interface RetainedNumbers {
  readonly first: number;
  readonly last: number;
}

interface NumbersRow {
  readonly first: string | null;
  readonly last: string | null;
}

const numbers = sql`(select min(seq) from outbox) as first, (select max(seq) from outbox) as last`;

/** The numbers of the events that are kept. */
export async function retainedNumbers(db: Db): Promise<RetainedNumbers> {
  const { rows } = await sql<NumbersRow>`select ${numbers}`.execute(db);
  return readNumbers(rows[0]);
}

/** In one statement, the rows of events of a topic in their order, and the numbers of those that are kept; null when the topic is hidden from the reader. */
export async function listEvents(
  db: Db,
  topic: Topic,
  scope: ReaderScope,
  range: EventRange,
): Promise<{ events: EventRow[]; kept: RetainedNumbers } | null> {
  const { rows } = await sql<NumbersRow & { readonly is_visible: boolean } & (EventRow | { readonly seq: null })>`
    select feed.*, events.* from (select ${isTopicVisible(topic, scope)} as is_visible, ${numbers}) as feed
      left join (${eventsOf(topic, range)}) as events on is_visible
    order by seq`.execute(db);
  const [feed] = rows;
  if (feed?.is_visible !== true) return null;
  return { events: rows.flatMap((row) => (row.seq === null ? [] : [row])), kept: readNumbers(feed) };
}

function isTopicVisible(topic: Topic, scope: ReaderScope): RawBuilder<boolean> {
  switch (topic.kind) {
    case 'vault':
      return isVaultVisible(topic.id, scope);
    case 'proposal':
      return sql`exists (select from proposals
        where proposals.id = ${topic.id} and ${isVaultVisible(sql.ref('proposals.vault_id'), scope)})`;
    case 'wallet':
    case 'all':
      return sql`true`;
  }
}

function readNumbers(row: NumbersRow | undefined): RetainedNumbers {
  return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
}

/** An event that has its number; numbers have no gap. */
export interface NumberedEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly vaultId: string | null;
  /** The wallet that acted, or `platform`. */
  readonly actor: string;
  /** Other wallets that it concerns. */
  readonly wallets: readonly string[];
  readonly transactionHash: string | null;
  readonly correlationId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: Instant;
}

/** Which numbered events are read: those after a number, up to another one where it is given. */
interface EventRange {
  readonly after: number;
  readonly upTo?: number;
  readonly limit: number;
}

/** The rows of the events of a topic in the order of their numbers. */
export async function eventRows(db: Db, topic: Topic, range: EventRange): Promise<readonly EventRow[]> {
  return (await sql<EventRow>`${eventsOf(topic, range)}`.execute(db)).rows;
}

/** The statement of `eventRows`. */
function eventsOf(topic: Topic, range: EventRange): RawBuilder<unknown> {
  return sql`${selectionOf(topic, range)} order by seq limit ${range.limit}`;
}

/** Reads a row of `eventsOf`. Throws UnreadableRow. */
export function readEvent(row: EventRow): NumberedEvent {
  return decodeRow('outbox', row.id, () => eventOf(row));
}

/** The number of a row of `eventsOf`, which every row has. */
export function numberOf({ seq }: Pick<EventRow, 'seq'>): number {
  return Number(seq);
}

function eventOf(row: EventRow): NumberedEvent {
  const { wallets, data } = row;
  if (data === null || !Array.isArray(wallets ?? [])) throw new TypeError('its data or its wallets have another form');
  return {
    seq: numberOf(row),
    id: row.id,
    type: row.type,
    vaultId: row.vault_id,
    actor: row.actor,
    wallets: wallets ?? [],
    transactionHash: row.transaction_hash,
    correlationId: row.correlation_id,
    data,
    occurredAt: instant(row.occurred_at),
  };
}

/**
 * Deletes the events before the first one since `before`, a bounded number at once; never the last, after which the next is numbered.
 * Returns how many.
 */
export async function deleteOldEvents(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } =
    await sql`with oldest as (select seq, occurred_at from outbox where seq > 0 order by seq limit ${DELETED_AT_ONCE})
    delete from outbox where seq < coalesce(
      (select min(seq) from oldest where occurred_at >= ${before}), (select max(seq) from oldest))`.execute(db);
  return Number(numAffectedRows);
}

const DELETED_AT_ONCE = 1000;

/** The number of the last event; 0 before the first one. */
export async function lastEventNumber(db: Db): Promise<number> {
  const { rows } = await sql<{ last: string | null }>`select max(seq) as last from outbox`.execute(db);
  return Number(rows[0]?.last ?? 0);
}

interface EventRow {
  readonly seq: string;
  readonly id: string;
  readonly type: EventType;
  readonly vault_id: string | null;
  readonly actor: string;
  readonly wallets: string[] | null;
  readonly transaction_hash: string | null;
  readonly correlation_id: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly occurred_at: Date;
}

function selectionOf(topic: Topic, range: EventRange): RawBuilder<unknown> {
  switch (topic.kind) {
    case 'all':
      return eventsWhere(sql`true`, range);
    case 'vault':
      return eventsWhere(sql`vault_id = ${topic.id}`, range);
    case 'proposal':
      return eventsWhere(sql`data ->> 'proposalId' = ${topic.id}`, range);
    case 'wallet': {
      // Two indexes: most events name their wallet as the actor.
      const acted = sql`(${eventsWhere(sql`actor = ${topic.id} and actor <> 'platform'`, range)} order by seq limit ${range.limit})`;
      const concerned = sql`(${eventsWhere(sql`wallets @> ${JSON.stringify([topic.id])}::jsonb and actor <> ${topic.id}`, range)} order by seq limit ${range.limit})`;
      return sql`select * from (${acted} union all ${concerned}) as events`;
    }
  }
}

function eventsWhere(condition: RawBuilder<unknown>, { after, upTo }: EventRange): RawBuilder<unknown> {
  const end = upTo === undefined ? sql`` : sql`and seq <= ${upTo}`;
  return sql`select seq, id, type, vault_id, actor, wallets, transaction_hash, correlation_id, data, occurred_at
    from outbox where ${condition} and seq > ${after} ${end}`;
}

/** Whether a committed event or audit entry has no number yet. */
export async function hasUnnumberedEntries(db: Db): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from outbox where seq is null) or exists (select from audit_log where seq is null) as any
  `.execute(db);
  return rows[0]?.any === true;
}

/** The number of committed events that have no sequence number yet. */
export async function countUnnumberedEvents(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from outbox where seq is null`.execute(db);
  return Number(rows[0]?.count);
}

/** Locks numbering for this transaction; returns false when another transaction has the lock. */
export async function lockNumbering(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('sequencer', 0)) as taken
  `.execute(tx);
  return rows[0]?.taken === true;
}

export const eventChannel = 'events';

/** Numbers the oldest unnumbered events, without a gap; returns how many. */
export async function numberEvents(tx: Transaction, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with waiting as (select id, recorded from outbox where seq is null order by recorded limit ${limit}),
         numbered as (select id, row_number() over (order by recorded) as place from waiting)
    update outbox set seq = (select coalesce(max(seq), 0) from outbox) + place
    from numbered where outbox.id = numbered.id
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/**
 * Lets every process hear that there are new events or audit entries, when `tx` commits. A change does not notify by itself: its commit would
 * wait for those of all other changes.
 */
export async function notifyNumbered(tx: Transaction): Promise<void> {
  await sql`select pg_notify(${eventChannel}, '')`.execute(tx);
}
