import { z } from 'zod';
import { Timestamp } from '../../platform/http/fields.ts';
import { type EventType, eventTypes } from '../queries/event-types.ts';
import { eventData } from './event-data.ts';
import { eventMeanings } from './event-meanings.ts';

const fields = {
  seq: z.int().describe('Number of the event: all events of the service have one, without a gap'),
  id: z.uuid().describe('Unique'),
  vaultId: z.uuid().nullable().describe('The vault in which it happened; null for none'),
  actor: z.string().describe('Address of the wallet that acted, or `platform`'),
  transactionHash: z.string().nullable().describe('The transaction that it belongs to; null if there is none'),
  occurredAt: Timestamp.describe('When it was recorded, by the clock of the service'),
  correlationId: z.string().describe('Of the request, or of the workflow, that caused it'),
};

/** The schema of events of each type. */
export const eventSchemas: readonly [EventType, z.ZodObject][] = eventTypes.map((type) => [
  type,
  z
    .object({ ...fields, type: z.literal(type).describe('What has happened'), data: eventData[type] })
    .meta({ id: `${titleOf(type)}Event`, description: eventMeanings[type] }),
]);

/** An event of any type, in every transport. */
export const EventMessage = z
  .discriminatedUnion('type', eventSchemas.map(([, schema]) => schema) as [z.ZodObject, ...z.ZodObject[]])
  .meta({ id: 'Event' });

function titleOf(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
