import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { Constant } from '../../platform/http/route.ts';
import type { EventData } from '../queries/event-data.ts';
import { type EventType, eventTypes } from '../queries/event-types.ts';
import { eventData } from './event-data.ts';

/** Does not compile for a type whose recorded data differ from the published schema. */
type AsRecorded = {
  [Type in EventType]: Constant<EventData[Type]> extends Constant<z.input<(typeof eventData)[Type]>> ? true : Type;
};
const asRecorded: Record<EventType, true> = {} as AsRecorded;

test('every type of event has a published schema, and its recorded data fit it', () => {
  expect(asRecorded).toEqual({});
  expect(Object.keys(eventData).toSorted()).toEqual([...eventTypes].toSorted());
});

test('each type of event is named where the service records it', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const told = /event-types\.ts$|queries\/event-data\/|events\/routes\/|access\/routes\/audit-log\/|\.test\.ts$/;
  const files = await Promise.all(
    ['src', 'activities', 'workflows'].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((file) => join(root, folder, file)),
    ),
  );
  const own = files.flat().filter((file) => file.endsWith('.ts') && !told.test(file));
  const text = (await Promise.all(own.map((file) => readFile(file, 'utf8')))).join('\n');
  expect(eventTypes.filter((type) => !text.includes(`'${type}'`))).toEqual([]);
});
