import { type RawBuilder, sql } from 'kysely';
import type { Topic } from '../rules/topic.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import type { EventType } from './event-types.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';

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
export interface EventRange {
  readonly after: number;
  readonly upTo?: number;
  readonly limit: number;
}

/** The rows of the events of a topic in the order of their numbers. */
export async function eventRows(db: Db, topic: Topic, range: EventRange): Promise<readonly EventRow[]> {
  return (await sql<EventRow>`${eventsOf(topic, range)}`.execute(db)).rows;
}

/** The statement of `eventRows`. */
export function eventsOf(topic: Topic, range: EventRange): RawBuilder<unknown> {
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

export interface EventRow {
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
