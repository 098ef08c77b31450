import { z } from 'zod';
import { Timestamp } from '../../server/fields.ts';
import { eventTypes } from '../../store/event-types.ts';

/** An event, in every transport. */
export const EventMessage = z
  .object({
    seq: z.int().describe('Number of the event: all events of the service have one, without a gap'),
    id: z.uuid(),
    type: z.enum(eventTypes).describe('What has happened'),
    vaultId: z.uuid().nullable().describe('The vault in which it happened; null for none'),
    actor: z.string().describe('Address of the wallet that acted, or `platform`'),
    transactionHash: z.string().nullable().describe('The transaction that it belongs to; null if there is none'),
    occurredAt: Timestamp.describe('When it was recorded, by the clock of the service'),
    correlationId: z.string().describe('Of the request, or of the workflow, that caused it'),
    data: z.looseObject({}).describe('Ids, and amounts in base units as text'),
  })
  .meta({ id: 'Event' });
