import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedStack } from './shared-stack.ts';

/** A recorded event, as far as its schema is about it. */
export interface PublishedEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The folder below that of the run. */
export const eventsFolder = 'events';

const [MAX_READ, MAX_OF_TYPE] = [20_000, 20];

/** Selects some events of each type. What tests have made up names them, or nothing, as its cause. */
export const selectPublished = `select type, data from (
  select type, data, row_number() over (partition by type order by id desc) as number from (
    select id, type, data from outbox where correlation_id not in ('', 'test') limit ${MAX_READ}) as read) as numbered
  where number <= ${MAX_OF_TYPE}`;

/** Keeps events for the check at the end of the run. */
export async function keepPublished(events: readonly PublishedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const folder = join(sharedStack().folder, eventsFolder);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(events));
}
