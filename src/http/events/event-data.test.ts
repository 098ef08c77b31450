import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { Constant } from '../../server/route.ts';
import type { EventData } from '../../store/event-data/event-data.ts';
import { type EventType, eventTypes } from '../../store/event-types.ts';
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
