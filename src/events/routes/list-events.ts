import { z } from 'zod';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import { messageOf } from '../publish.ts';
import { streamEvents } from '../live/event-stream.ts';
import { requireKept, requireTopicPermission, TopicFields, topicOf } from '../live/subscriptions.ts';
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
  summary: 'Follow events as they happen, or read those after a number',
  description:
    'A caller that sends `Accept: text/event-stream` gets server-sent events: those after `after`, or after the header ' +
    '`Last-Event-ID`, then each new one; without a number only new ones. The first message has the number that the stream begins after ' +
    'as its `id`, and each other one the `seq` of its event, so a client that comes back misses nothing and gets nothing twice. ' +
    'Events are kept for 400 days, unless the deployment says otherwise: a number whose next event is gone is refused at `after`. A ' +
    'message without data only moves the `id` on. When the service ends the stream, the last message has the event name ' +
    '`closed` and an error as its data. Any other caller gets the next events as JSON, and `next`, to be given as `after`. Name ' +
    'one of `vaultId`, `proposalId` and `wallet`; a key with wallet:UPDATE may name none and gets the events of everything. The ' +
    "`EventSource` of browsers cannot send the API key: read the stream with `fetch`, or with the service's typed client.",
  success: 'The next events, or a stream that goes on until one side ends it',
  permission: { unrestricted: 'following requires what a read of the vault, the proposal or the wallet requires' },
  query: z.strictObject({
    ...TopicFields,
    after: EventNumber.describe(
      'Number of the last event that the caller has; 0 for all that are kept. A number beyond the last event is refused, too',
    ).optional(),
  }),
  responses: {
    200: Enveloped(
      z.object({
        events: z.array(EventMessage),
        next: z
          .int()
          .describe('`after` of the next request: it moves on also when none of the new events is of this topic'),
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
    const topic = topicOf(fields, api);
    await requireTopicPermission(api.db, caller, topic);
    // Known before the read, which so returns all events up to it: a quiet topic moves the caller on, too.
    const reached = api.live.feed.position();
    const start = after === undefined ? reached : Number(after);
    const listed = await listEvents(api.db, topic, readerScope(caller), { after: start, limit: PAGE });
    if (!listed) throw new ServiceError(topic.kind === 'proposal' ? 'PROPOSAL_NOT_FOUND' : 'VAULT_NOT_FOUND');
    const { events, kept } = listed;
    requireKept(start, reached, kept);
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
      const request = { topic: topicOf(fields, api), after: last === undefined ? undefined : Number(last) };
      await streamEvents({ ...api, ...api.live }, response, request);
    },
  },
});
