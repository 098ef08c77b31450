import { expect, test } from '@jest/globals';
import { followEvents, type FollowOptions, type Topic } from '../../client/src/follow-events.ts';
import { delayAfter, type Timing } from '../../client/src/timing.ts';
import { type Answer, closedText, errorBody, eventText, streamingService } from './streaming-service.ts';

const vault: Topic = { vaultId: 'v' };
const SILENCE_MS = 45_000;

/** Pauses take no time and are recorded; that of a silent connection never ends, unless it is told to. */
function recordedTiming({ isSilenceOver = false } = {}) {
  const delays: number[] = [];
  const timing: Timing = {
    random: () => 0,
    pause: (milliseconds) => {
      if (milliseconds === SILENCE_MS) return isSilenceOver ? new Promise(setImmediate) : new Promise(() => undefined);
      delays.push(milliseconds);
      return Promise.resolve();
    },
  };
  return { delays, timing };
}

/** The numbers of the first events; fewer if the reader ends. */
async function firstNumbers(count: number, answers: readonly Answer[], options: FollowOptions = {}) {
  const service = streamingService(answers);
  const { delays, timing } = recordedTiming();
  const numbers: number[] = [];
  for await (const { seq } of followEvents(service.connection, vault, { timing, ...options })) {
    numbers.push(seq);
    if (numbers.length === count) break;
  }
  return { ...service, delays, numbers };
}

test('a reader gets each event once over several connections, and tells the service the last one it has', async () => {
  const text = eventText(1) + eventText(2);
  const answers: Answer[] = [
    { chunks: ['retry: 1000\nid: 0\n\n', text.slice(0, 9), text.slice(9)] },
    new TypeError('no connection'),
    { chunks: [eventText(2) + eventText(3) + closedText('SERVICE_STOPPING')] },
    { chunks: [eventText(4)], isOpen: true },
  ];
  const { numbers, requests, after, header, delays, cancelled } = await firstNumbers(4, answers, { after: 0 });
  expect(numbers).toEqual([1, 2, 3, 4]);
  expect(after()).toEqual(['0', '2', '2', '3']);
  // A number that is not valid is refused at `after`, as the client's README says, and not at a header that the caller never set.
  expect(header('last-event-id')).toEqual([null, null, null, null]);
  expect(requests[0]?.url).toBe('http://service.example/api/v1/events?vaultId=v&after=0');
  expect(header('x-api-key')[0]).toBe('key');
  expect(header('authorization')[0]).toBe('Bearer token');
  expect(delays).toEqual([500, 1000, 500]);
  expect(cancelled()).toBe(3);
});

test('a reader without a number continues from where its first connection began', async () => {
  const answers: Answer[] = [{ chunks: ['id: 7\n\n'] }, { chunks: ['id: 9\n\n'] }, { chunks: [eventText(10)] }];
  const { numbers, after } = await firstNumbers(1, answers);
  expect(numbers).toEqual([10]);
  expect(after()).toEqual([null, '7', '9']);
});

test('a reader tells how far a quiet topic is, after the caller has had the events before', async () => {
  const chunks = ['id: 7\n\n', eventText(8), 'id: 8\n\n', 'retry: 1000\n\n', 'id: 12\n\n', eventText(13)];
  const { connection } = streamingService([{ chunks, isOpen: true }]);
  const { timing } = recordedTiming();
  const seen: [string, number][] = [];
  const onPosition = (seq: number) => seen.push(['position', seq]);
  for await (const { seq } of followEvents(connection, vault, { timing, onPosition })) {
    seen.push(['event', seq]);
    if (seq === 13) break;
  }
  expect(seen).toEqual([
    ['position', 7],
    ['event', 8],
    ['position', 12],
    ['event', 13],
  ]);
});

test('a connection that is silent for too long is replaced', async () => {
  const service = streamingService([{ chunks: [eventText(1)], isOpen: true }, { chunks: [eventText(2)] }]);
  const { timing } = recordedTiming({ isSilenceOver: true });
  const reasons: unknown[] = [];
  const onReconnect = (reason: unknown) => reasons.push(reason);
  const events = followEvents(service.connection, vault, { timing, onReconnect });
  expect((await events.next()).value).toMatchObject({ seq: 1 });
  expect((await events.next()).value).toMatchObject({ seq: 2 });
  await events.return();
  expect(reasons).toEqual([new Error('nothing came for 45 s')]);
});

test('a message that does not end is given up before it fills the memory', async () => {
  const endless = { chunks: ['data: ', ...Array<string>(11).fill('x'.repeat(100_000))], isOpen: true };
  const service = streamingService([endless, { chunks: [eventText(2)] }]);
  const { timing } = recordedTiming();
  const reasons: unknown[] = [];
  const onReconnect = (reason: unknown) => reasons.push(reason);
  const events = followEvents(service.connection, vault, { timing, onReconnect });
  expect((await events.next()).value).toMatchObject({ seq: 2 });
  await events.return();
  expect(reasons).toEqual([new Error('a message has more than 1000000 characters')]);
});

test.each<[string, Answer, object]>([
  [
    'an ended session',
    { chunks: [eventText(1), closedText('INVALID_SESSION')] },
    { code: 'INVALID_SESSION', status: null },
  ],
  [
    'an unknown vault',
    Response.json(errorBody('VAULT_NOT_FOUND'), { status: 404 }),
    { code: 'VAULT_NOT_FOUND', status: 404 },
  ],
  ['what is no service', new Response('<html>'), { code: 'UNEXPECTED_RESPONSE', status: 200, correlationId: null }],
])('%s ends the iteration with a typed error', async (_case, answer, expected) => {
  await expect(firstNumbers(9, [answer])).rejects.toMatchObject({ name: 'ServiceError', ...expected });
});

test('a reader waits as long as the service asks, and comes back after errors that pass', async () => {
  const answers: Answer[] = [
    Response.json(errorBody('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 7 }), { status: 429 }),
    Response.json(errorBody('TOO_MANY_CONNECTIONS'), { status: 429 }),
    new Response('Bad Gateway', { status: 502 }),
    { chunks: [eventText(1), closedText('CONSUMER_TOO_SLOW')] },
    { chunks: [eventText(2)] },
  ];
  expect(await firstNumbers(2, answers)).toMatchObject({ numbers: [1, 2], delays: [7000, 1000, 2000, 500] });
});

test('an aborted signal ends the iteration, while connected and while waiting', async () => {
  const ended = new AbortController();
  const service = streamingService([new TypeError('no connection')]);
  const onReconnect = () => {
    ended.abort();
  };
  const { timing } = recordedTiming();
  const events = followEvents(service.connection, vault, { timing, onReconnect, signal: ended.signal });
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(service.requests).toHaveLength(1);

  const other = streamingService([{ chunks: [eventText(1)], isOpen: true }]);
  const stop = new AbortController();
  const open = followEvents(other.connection, vault, { timing, signal: stop.signal });
  await open.next();
  const next = open.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('the delays grow to 30 s, and half of each is random', () => {
  expect([1, 2, 3, 9].map((failures) => delayAfter(failures, () => 0))).toEqual([500, 1000, 2000, 15_000]);
  expect(delayAfter(9, () => 1)).toBe(30_000);
});
