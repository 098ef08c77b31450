import { z } from 'zod';
import { EventMessage } from '../routes/event-message.ts';
import { Handshake, Subscribe, Unsubscribe } from '../live/socket-requests.ts';
import { ErrorBody } from '../../platform/http/error-schemas.ts';

const subscriptionName = z.string().describe('`vault:<id>`, `proposal:<id>`, `wallet:<address>` or `all`');
const success = <Data extends z.ZodType>(data: Data) => z.object({ status: z.literal('success'), data });

/** A message of socket.io: its event name, who sends it, and what it carries. */
export interface SocketMessage {
  readonly name: string;
  readonly from: 'client' | 'service';
  readonly summary: string;
  readonly payload: z.ZodType;
  /** What the acknowledgement carries. */
  readonly reply?: z.ZodType;
}

export const socketMessages: readonly SocketMessage[] = [
  {
    name: 'connect',
    from: 'client',
    summary:
      'The payload of the CONNECT packet (`auth` of socket.io); a refusal is the data of CONNECT_ERROR (`connect_error`), after which ' +
      'socket.io does not connect again by itself',
    payload: Handshake,
    reply: z.union([z.object({ sid: z.string() }), z.object({ message: z.string(), data: ErrorBody })]),
  },
  {
    name: 'subscribe',
    from: 'client',
    summary: 'Follow a vault, a proposal or a wallet; a key with wallet:UPDATE may name nothing and follows everything',
    payload: Subscribe,
    reply: z.union([
      success(
        z.object({
          subscription: subscriptionName,
          after: z.int().describe('Number of the event after which the subscription begins'),
        }),
      ),
      ErrorBody,
    ]),
  },
  {
    name: 'unsubscribe',
    from: 'client',
    summary: 'Follow a topic no longer',
    payload: Unsubscribe,
    reply: z.union([
      success(
        z.object({
          subscription: subscriptionName,
          ended: z.boolean().describe('Whether there was such a subscription'),
        }),
      ),
      ErrorBody,
    ]),
  },
  {
    name: 'events',
    from: 'service',
    summary: 'Events of a subscription in the order of `seq`, each once',
    payload: z.object({ subscription: subscriptionName, events: z.array(EventMessage) }),
  },
  {
    name: 'position',
    from: 'service',
    summary:
      'The client has all events of a subscription up to this number: sent when those that it had missed are sent, and every ten minutes. ' +
      'Remember the number as that of an event: a client that comes back to a quiet topic is then never told that its number is too old',
    payload: z.object({
      subscription: subscriptionName,
      after: z.int().describe('Number of the last event that it has or need not have, for `after` of `subscribe`'),
    }),
  },
  {
    name: 'unsubscribed',
    from: 'service',
    summary:
      'A subscription has ended; the connection goes on. `reason.code` says why: the caller may no longer read the topic, or, with ' +
      'SERVICE_NOT_READY and SYSTEM_ERROR, the service could not read it: subscribe again with the last number',
    payload: z.object({ subscription: subscriptionName, reason: ErrorBody.shape.error }),
  },
  {
    name: 'closed',
    from: 'service',
    summary:
      'The last message before the service cuts the connection: INVALID_API_KEY, INVALID_SESSION, CONSUMER_TOO_SLOW (too ' +
      'much waited for the client), SERVICE_NOT_READY or SERVICE_STOPPING. After the last three call `socket.connect()` and subscribe after the last number; after ' +
      'INVALID_SESSION log in first',
    payload: ErrorBody,
  },
];
