import { type RawBuilder, sql } from 'kysely';
import type { Topic } from '../rules/topic.ts';
import type { Db } from '../../platform/database/database.ts';
import { type EventRange, type EventRow, eventsOf } from './numbered-events.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

/** Which events are kept, by their numbers; both 0 before the first one. */
export interface KeptNumbers {
  readonly first: number;
  readonly last: number;
}

interface NumbersRow {
  readonly first: string | null;
  readonly last: string | null;
}

const numbers = sql`(select min(seq) from outbox) as first, (select max(seq) from outbox) as last`;

/** The numbers of the events that are kept. */
export async function keptNumbers(db: Db): Promise<KeptNumbers> {
  const { rows } = await sql<NumbersRow>`select ${numbers}`.execute(db);
  return readNumbers(rows[0]);
}

/** In one statement, the rows of events of a topic in their order, and the numbers of those that are kept; null when the topic is hidden from the reader. */
export async function listEvents(
  db: Db,
  topic: Topic,
  scope: ReaderScope,
  range: EventRange,
): Promise<{ events: EventRow[]; kept: KeptNumbers } | null> {
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

function readNumbers(row: NumbersRow | undefined): KeptNumbers {
  return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
}
