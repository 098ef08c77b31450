import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventData } from '../../src/events/routes/event-data.ts';
import { type EventType, eventTypes } from '../../src/events/queries/event-types.ts';
import { eventsFolder, type PublishedEvent } from './published-events.ts';

const SHOWN = 20;

/**
 * Compares what the databases of a run have recorded with the published schemas of events. Throws when an event does not fit its schema, and,
 * after a run of all tests, when the service has recorded no event of a registered type.
 */
export async function refuseUnpublishedEvents(folder: string, { isWhole }: { readonly isWhole: boolean }) {
  const events = await keptEvents(join(folder, eventsFolder));
  const problems = new Set(events.flatMap(problemsOf));
  if (problems.size > 0)
    throw new Error(`events that are not as published:\n${[...problems].slice(0, SHOWN).join('\n')}`);
  const seen = new Set(events.map(({ type }) => type));
  const missing = isWhole ? eventTypes.filter((type) => !seen.has(type)) : [];
  if (missing.length > 0)
    throw new Error(`types of events that no test lets the service record: ${missing.join(', ')}`);
}

async function keptEvents(folder: string): Promise<PublishedEvent[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as PublishedEvent[]);
}

function problemsOf({ type, data }: PublishedEvent): string[] {
  // The types of the code leave no other; a test of the tables may.
  if (!isRegistered(type)) return [];
  const { error } = eventData[type].safeParse(data);
  const wrong = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const unknown = Object.keys(Object(data) as object).filter((name) => !Object.hasOwn(eventData[type].shape, name));
  return [...wrong, ...unknown.map((name) => `${name}: not published`)].map((problem) => `${type} ${problem}`);
}

function isRegistered(type: string): type is EventType {
  return Object.hasOwn(eventData, type);
}
