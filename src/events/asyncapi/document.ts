import { z } from 'zod';
import { Handshake, Subscribe, Unsubscribe } from '../live/serve-socket.ts';
import { EventMessage } from '../routes/event-message.ts';
import { omitDevelopmentCodes } from '../../platform/http/fields.ts';
import { ErrorBody } from '../../platform/http/error-schemas.ts';

type JsonObject = Record<string, unknown>;

const upgradeQuery = { type: 'object', properties: { EIO: { const: '4' }, transport: { const: 'websocket' } } };
const upgradeHeaders = {
  type: 'object',
  properties: { 'X-API-Key': { type: 'string' }, Authorization: { type: 'string' } },
};

/** The AsyncAPI 3.1 document of everything that the service sends without being asked, made from the schemas that check it. */
export function asyncApiDocument(version: string) {
  const schemas: JsonObject = {};
  const messages = messagesWith(schemas);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Vault Tokenization Service: events',
      version,
      description:
        'Every change is an event with a number, `seq`, without a gap. A client that remembers the last number misses nothing and gets ' +
        'nothing twice, whichever process it comes back to.',
    },
    defaultContentType: 'application/json',
    channels: {
      socket: {
        address: '/events',
        title: 'socket.io',
        description:
          'Namespace of socket.io (path `/socket.io/`); the only transport is `websocket`. `connect` says who the client is, because browsers ' +
          'send no headers of their own; others may send those of a request instead. A connection has at most 100 subscriptions and 200 ' +
          'requests a minute, and a message at most 16 KB: a longer one cuts the connection with the code 1009 of WebSocket. The ' +
          'acknowledgement of a request that is refused is the body of an error; that of an event with another name than `subscribe` or `unsubscribe` is INVALID_REQUEST at `event`.',
        messages: Object.fromEntries(Object.keys(messages).map((name) => [name, componentRef('messages', name)])),
        bindings: { ws: { method: 'GET', query: upgradeQuery, headers: upgradeHeaders, bindingVersion: '0.1.0' } },
      },
      stream: {
        address: '/api/v1/events',
        title: 'Server-sent events',
        description:
          'With `Accept: text/event-stream` and the API key in `X-API-Key` it sends the same events one by one; `/openapi.json` describes ' +
          'its parameters. Each message but `closed` has a number as its `id`. A client that lost the connection sends the last one as `Last-Event-ID` ' +
          'and continues after it. A message without data only has the current number; the first one is where the stream begins. The last ' +
          'message has the event name `closed` and an error, whose `retryable` in `x-error-codes` says whether connecting again can help. ' +
          'The `EventSource` of browsers cannot send the API key: read the stream with `fetch`.',
        messages: { event: componentRef('messages', 'event') },
      },
    },
    operations: {
      ...Object.fromEntries(socketMessages.map((message) => [message.name, operationOf(message)])),
      streamEvents: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'The same events, one by one',
        messages: [{ $ref: '#/channels/stream/messages/event' }],
      },
    },
    components: { messages: { ...messages, event: eventWith(schemas) }, schemas },
  };
}

/** The messages of socket.io by name; the components of their schemas are added to `schemas`. */
function messagesWith(schemas: JsonObject) {
  return Object.fromEntries(
    socketMessages.flatMap(({ name, from, summary, payload, reply }) => {
      const own = { name, summary, payload: withComponents(payload, from === 'client' ? 'input' : 'output', schemas) };
      if (!reply) return [[name, own]];
      const acknowledgement = {
        name: replyName(name),
        summary: `Acknowledgement of ${name}`,
        payload: withComponents(reply, 'output', schemas),
      };
      return [
        [name, own],
        [replyName(name), acknowledgement],
      ];
    }),
  );
}

function eventWith(schemas: JsonObject) {
  const summary = 'One event; its number is the `id` of the message';
  return { name: 'event', summary, payload: withComponents(EventMessage, 'output', schemas) };
}

const replyName = (name: string) => `${name}Reply`;

function componentRef(kind: string, name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Seen from the service, as AsyncAPI 3 wants it. */
function operationOf({ name, from, summary, reply }: SocketMessage) {
  const inChannel = (message: string) => ({ $ref: `#/channels/socket/messages/${message}` });
  return {
    action: from === 'client' ? 'receive' : 'send',
    channel: { $ref: '#/channels/socket' },
    summary,
    messages: [inChannel(name)],
    ...(reply && { reply: { channel: { $ref: '#/channels/socket' }, messages: [inChannel(replyName(name))] } }),
  };
}

/** The JSON Schema of a payload; what it refers to by name becomes a component. */
function withComponents(schema: z.ZodType, io: 'input' | 'output', components: JsonObject): JsonObject {
  const text = JSON.stringify(
    z.toJSONSchema(schema, {
      io,
      target: 'draft-7',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema: made }) => {
        omitDevelopmentCodes(zodSchema, made);
      },
    }),
  );
  const {
    $schema: _draft,
    definitions = {},
    ...own
  } = JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as JsonObject & {
    definitions?: JsonObject;
  };
  Object.assign(components, definitions);
  return own;
}

const subscriptionName = z.string().describe('`vault:<id>`, `proposal:<id>`, `wallet:<address>` or `all`');
const success = <Data extends z.ZodType>(data: Data) => z.object({ status: z.literal('success'), data });

/** A message of socket.io: its event name, who sends it, and what it carries. */
interface SocketMessage {
  readonly name: string;
  readonly from: 'client' | 'service';
  readonly summary: string;
  readonly payload: z.ZodType;
  /** What the acknowledgement carries. */
  readonly reply?: z.ZodType;
}

const socketMessages: readonly SocketMessage[] = [
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

/** A client of socket.io in a browser, as `docs/guides/events.md` shows it too. */
export const socketSample = `import { io } from 'socket.io-client';

// API is where this service is, such as http://127.0.0.1:3000
const socket = io(\`\${API}/events\`, {
  transports: ['websocket'],
  auth: { apiKey, token }, // token of a wallet session; leave it out for the key alone
});
const last = new Map(); // number of the last event of each subscription, from wherever you keep it

socket.on('connect', async () => {
  const { status, error } = await socket.emitWithAck('subscribe', { vaultId, after: last.get(\`vault:\${vaultId}\`) });
  if (status === 'error') refused(error); // as in every response
});
socket.on('events', ({ subscription, events }) => {
  for (const event of events) {
    show(event);
    last.set(subscription, event.seq);
  }
});
// Nothing of this subscription is missing up to \`after\`; it also moves on while the topic is quiet.
socket.on('position', ({ subscription, after }) => last.set(subscription, after));
// reason.code: the caller may no longer read the topic; after SERVICE_NOT_READY or SYSTEM_ERROR subscribe again
socket.on('unsubscribed', ({ subscription, reason }) => {});
socket.on('closed', ({ error }) => {}); // the last message before the service cuts the connection
`;
