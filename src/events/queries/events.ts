import { bulkInsert } from '../../platform/database/bulk-insert.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { EventData } from './event-data/event-data.ts';
import type { EventType } from './event-types.ts';

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
