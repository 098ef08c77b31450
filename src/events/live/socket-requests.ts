import { z } from 'zod';
import { TopicFields } from './topics.ts';

/** How a client of socket.io says who it is: in `auth`, because browsers send no headers of their own. */
export const Handshake = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,300}$/, 'An API key has no spaces')
    .describe('The API key; absent when the header X-API-Key has it')
    .optional(),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,300}$/, 'A token has no spaces')
    .describe('Token of a wallet session; absent for the key alone, or when the header Authorization has it')
    .optional(),
});

/** The request of `subscribe`. */
export const Subscribe = z.strictObject({
  ...TopicFields,
  after: z
    .int()
    .min(0)
    .describe(
      'Number of the last event that the client has: the later ones follow; 0: all that are kept. Absent: events from now on. A number ' +
        'beyond the last event, or whose next event is no longer kept, is refused with INVALID_REQUEST at `after`: read anew and begin without it',
    )
    .optional(),
});

/** The request of `unsubscribe`. */
export const Unsubscribe = z.strictObject({
  subscription: z.string().max(300).describe('Its name, as `subscribe` returned it'),
});
