import { z } from 'zod';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import { messageOf } from '../publish.ts';
import { streamEvents } from '../live/event-stream.ts';
import { requireRetained, requireTopicPermission, TopicFields, topicOf } from '../live/subscriptions.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ok } from '../../platform/http/route.ts';
import { decodeRows } from '../../platform/database/decode-rows.ts';
import { readerScope } from '../../vaults/require-vault.ts';
import { listEvents, numberOf, readEvent } from '../queries/events.ts';
import { EventMessage } from './event-message.ts';

const PAGE = 200;
const EventNumber = z.string().regex(/^\d{1,15}$/, 'Must be the number of an event.');

export const listEventsRoute = route({
  method: 'get',
  path: '/events',
  operationId: 'listEvents',
  summary: 'List or follow events',
  description:
    'Returns the next events as JSON. Send `next` as `after` of the next request.\n\n' +
    'With `Accept: text/event-stream`, it sends server-sent events instead: events after `after` (or the header ' +
    '`Last-Event-ID`), then each new one. `/docs/events` describes the messages.\n\n' +
    'Name one of `vaultId`, `proposalId` and `wallet`. A key with `wallet:UPDATE` may name none to get all ' +
    'events.\n\n' +
    'Events are kept for 400 days by default. The `EventSource` of browsers cannot send the API key. Use `fetch` ' +
    'or the typed client.',
  success: 'The next events, or a stream that stays open',
  permission: {
    unrestricted: 'Following requires the same permission as reading the vault, the proposal or the wallet',
  },
  query: z.strictObject({
    ...TopicFields,
    after: EventNumber.describe(
      'Number of the last event that you have. 0: all events that are kept. It must not be higher than the last event.',
    ).optional(),
  }),
  responses: {
    200: Enveloped(
      z.object({
        events: z.array(EventMessage),
        next: z
          .int()
          .describe('`after` of the next request. It also increases when there are only events of other topics.'),
      }),
    ),
  },
  errors: [
    'INSUFFICIENT_PERMISSIONS',
    'VAULT_NOT_FOUND',
    'PROPOSAL_NOT_FOUND',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'TOO_MANY_CONNECTIONS',
  ],
  async handle({ query: { after, ...fields }, caller }, api) {
    const topic = topicOf(fields, api.networkId);
    await requireTopicPermission(api.db, caller, topic);
    // Known before the read, which so returns all events up to it: a quiet topic moves the caller on, too.
    const reached = api.live.feed.position();
    const start = after === undefined ? reached : Number(after);
    const listed = await listEvents(api.db, topic, readerScope(caller), { after: start, limit: PAGE });
    if (!listed) throw new ServiceError(topic.kind === 'proposal' ? 'PROPOSAL_NOT_FOUND' : 'VAULT_NOT_FOUND');
    const { events, kept } = listed;
    requireRetained(start, reached, kept);
    const last = events.at(-1);
    const end = last === undefined ? start : numberOf(last);
    const data = {
      events: decodeRows(events, readEvent, api.onUnreadable).map(messageOf),
      next: events.length === PAGE ? end : Math.max(end, reached),
    };
    return ok(enveloped(data, await api.readingTime()));
  },
  stream: {
    event: EventMessage,
    async send({ query: { after, ...fields } }, api, response) {
      const lastEventId = response.req.get('Last-Event-ID');
      if (lastEventId !== undefined && !EventNumber.safeParse(lastEventId).success)
        throw fieldError('INVALID_REQUEST', 'Last-Event-ID', 'Must be the number of an event.');
      const last = lastEventId ?? after;
      const request = { topic: topicOf(fields, api.networkId), after: last === undefined ? undefined : Number(last) };
      await streamEvents({ ...api, ...api.live }, response, request);
    },
  },
});
