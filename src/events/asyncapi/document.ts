import { z } from 'zod';
import { EventMessage } from '../routes/event-message.ts';
import { omitDevelopmentCodes } from '../../platform/http/enums.ts';
import { type SocketMessage, socketMessages } from './messages.ts';

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
