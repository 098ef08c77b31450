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

const socketDescription =
  'Namespace of socket.io (path `/socket.io/`). The only transport is `websocket`. Send your API key and ' +
  'your session with `connect`, because browsers cannot send headers here. Other clients may send the ' +
  'headers of a request instead.\n\n' +
  'A connection has at most 100 subscriptions and 200 requests a minute. A message has at most 16 KB. A ' +
  'longer one closes the connection with WebSocket code 1009.\n\n' +
  'If a request fails, its acknowledgement is the body of an error. An event other than `subscribe` or ' +
  '`unsubscribe` gets INVALID_REQUEST for the field `event`.';

const streamDescription =
  'Sends the same events one by one. Use `Accept: text/event-stream` and the API key in `X-API-Key`. ' +
  '`/openapi.json` describes the parameters.\n\n' +
  'Each message except `closed` has a number as its `id`. After a lost connection, send the last one as ' +
  '`Last-Event-ID` to continue. A message without data only carries the current number. The first message ' +
  'shows where the stream begins.\n\n' +
  'The last message has the event name `closed` and an error. `retryable` in `x-error-codes` says whether ' +
  'connecting again can help.\n\n' +
  'The `EventSource` of browsers cannot send the API key. Read the stream with `fetch`.';

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
        'Every change is an event with a number, `seq`. The numbers have no gaps. Remember the last number that ' +
        'you received. If you continue after it, from any process of the service, you miss no event and get none ' +
        'twice.',
    },
    defaultContentType: 'application/json',
    channels: {
      socket: {
        address: '/events',
        title: 'socket.io',
        description: socketDescription,
        messages: Object.fromEntries(Object.keys(messages).map((name) => [name, componentRef('messages', name)])),
        bindings: { ws: { method: 'GET', query: upgradeQuery, headers: upgradeHeaders, bindingVersion: '0.1.0' } },
      },
      stream: {
        address: '/api/v1/events',
        title: 'Server-sent events',
        description: streamDescription,
        messages: { event: componentRef('messages', 'event') },
      },
    },
    operations: {
      ...Object.fromEntries(socketMessages.map((message) => [message.name, operationOf(message)])),
      streamEvents: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'The same events, one by one',
        description: 'Server-sent events with the same data.',
        messages: [{ $ref: '#/channels/stream/messages/event' }],
      },
    },
    components: { messages: { ...messages, event: eventWith(schemas) }, schemas },
  };
}

/** The messages of socket.io by name; the components of their schemas are added to `schemas`. */
function messagesWith(schemas: JsonObject) {
  return Object.fromEntries(
    socketMessages.flatMap(({ name, from, summary, description, payload, reply }) => {
      const io = from === 'client' ? 'input' : 'output';
      const own = { name, summary, description, payload: withComponents(payload, io, schemas) };
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
  const summary = 'One event, numbered by its `id`';
  return { name: 'event', summary, payload: withComponents(EventMessage, 'output', schemas) };
}

const replyName = (name: string) => `${name}Reply`;

function componentRef(kind: string, name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Seen from the service, as AsyncAPI 3 wants it. */
function operationOf({ name, from, summary, description, reply }: SocketMessage) {
  const inChannel = (message: string) => ({ $ref: `#/channels/socket/messages/${message}` });
  return {
    action: from === 'client' ? 'receive' : 'send',
    channel: { $ref: '#/channels/socket' },
    summary,
    description,
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

const subscriptionName = z.string().describe('`vault:<id>`, `proposal:<id>`, `wallet:<address>` or `all`.');
const success = <Data extends z.ZodType>(data: Data) => z.object({ status: z.literal('success'), data });

/** A message of socket.io: its event name, who sends it, and what it carries. */
interface SocketMessage {
  readonly name: string;
  readonly from: 'client' | 'service';
  readonly summary: string;
  readonly description: string;
  readonly payload: z.ZodType;
  /** What the acknowledgement carries. */
  readonly reply?: z.ZodType;
}

const socketMessages: readonly SocketMessage[] = [
  {
    name: 'connect',
    from: 'client',
    summary: 'Authenticate a connection',
    description:
      'Payload of the CONNECT packet (`auth` of socket.io). If it fails, you get CONNECT_ERROR (`connect_error`) with an error. ' +
      'Afterwards, socket.io does not connect again by itself.',
    payload: Handshake,
    reply: z.union([z.object({ sid: z.string() }), z.object({ message: z.string(), data: ErrorBody })]),
  },
  {
    name: 'subscribe',
    from: 'client',
    summary: 'Subscribe to a topic',
    description:
      'Name a vault, a proposal or a wallet. A key with `wallet:UPDATE` may name nothing, and gets all events.',
    payload: Subscribe,
    reply: z.union([
      success(
        z.object({
          subscription: subscriptionName,
          after: z.int().describe('Number of the event after which the subscription begins.'),
        }),
      ),
      ErrorBody,
    ]),
  },
  {
    name: 'unsubscribe',
    from: 'client',
    summary: 'Unsubscribe from a topic',
    description: 'Ends a subscription. The connection stays open.',
    payload: Unsubscribe,
    reply: z.union([
      success(
        z.object({
          subscription: subscriptionName,
          ended: z.boolean().describe('Whether there was such a subscription.'),
        }),
      ),
      ErrorBody,
    ]),
  },
  {
    name: 'events',
    from: 'service',
    summary: 'Events of a subscription',
    description: 'In the order of `seq`, each event once.',
    payload: z.object({ subscription: subscriptionName, events: z.array(EventMessage) }),
  },
  {
    name: 'position',
    from: 'service',
    summary: 'Confirm the events up to a number',
    description:
      'Sent when you have received the events that you had missed, and every ten minutes. Remember the number: ' +
      'it keeps `after` of a quiet topic from becoming too old.',
    payload: z.object({
      subscription: subscriptionName,
      after: z
        .int()
        .describe(
          'Number to use as `after` of `subscribe`. You have received every event of the subscription up to this number.',
        ),
    }),
  },
  {
    name: 'unsubscribed',
    from: 'service',
    summary: 'End of a subscription',
    description:
      '`reason.code` says why. The caller may not read the topic any longer, or the service could not read it ' +
      '(SERVICE_NOT_READY, SYSTEM_ERROR). In the second case, subscribe again with the last number.',
    payload: z.object({ subscription: subscriptionName, reason: ErrorBody.shape.error }),
  },
  {
    name: 'closed',
    from: 'service',
    summary: 'End of the connection',
    description:
      'The last message before the service closes the connection, with an error.\n\n' +
      '- CONSUMER_TOO_SLOW, SERVICE_NOT_READY, SERVICE_STOPPING: call `socket.connect()` and subscribe after the last number.\n' +
      '- INVALID_SESSION: log in first.\n- INVALID_API_KEY: use another key.',
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
