import { randomBytes } from 'node:crypto';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import type { Db } from '../../src/platform/database/database.ts';
import type { EventType } from '../../src/events/queries/event-types.ts';
import { type EventFields, eventInsert, type NewEvent } from '../../src/events/queries/events.ts';
import { until } from '../stack/until.ts';
import type { ApiService } from '../vaults/api-service.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });

/** Commits so many events in one transaction. */
export async function commitEvents(
  db: Db,
  count: number,
  fields: Partial<EventFields> & { readonly type?: EventType; readonly data?: object },
): Promise<void> {
  const event = {
    type: 'VAULT_HELD',
    vaultId: null,
    actor: 'platform',
    transactionHash: null,
    correlationId: 'test',
    data: { reason: 'stale_price' },
    ...fields,
  } as NewEvent;
  const events = Array.from({ length: count }, () => event);
  await db.transaction().execute((tx) => eventInsert({ tx, ids, now: wallClock.now() }, events).execute());
}

/** The numbers of the events of a vault, once all have one. */
export async function numbersOf({ sql }: Pick<ApiService, 'sql'>, vaultId: string): Promise<number[]> {
  return until(
    async () => {
      const rows = await sql.run<{ seq: string | null }>`select seq from outbox
          where vault_id = ${vaultId} order by seq nulls first`;
      return rows.every(({ seq }) => seq !== null) && rows.map(({ seq }) => Number(seq));
    },
    { what: 'every event has its number' },
  );
}
