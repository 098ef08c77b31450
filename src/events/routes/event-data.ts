import type { z } from 'zod';
import type { EventType } from '../queries/event-types.ts';
import { depositEventData } from './deposit-event-data.ts';
import { governanceEventData } from './governance-event-data.ts';
import { terminationEventData } from './termination-event-data.ts';
import { vaultEventData } from './vault-event-data.ts';

/** The data of each type of event. */
export const eventData = {
  ...vaultEventData,
  ...terminationEventData,
  ...depositEventData,
  ...governanceEventData,
} as const satisfies Readonly<Record<EventType, z.ZodObject>>;
