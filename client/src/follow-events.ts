import { type Connection, credentialsOf } from './connection.ts';
import { readMessages, type StreamMessage } from './read-messages.ts';
import type { components } from './schema.ts';
import { ServiceError, serviceErrorOf } from './service-error.ts';
import { delayAfter, platformTiming, type Timing } from './timing.ts';

/** An event of the service; `type` says which `data` it has. */
export type ServiceEvent = components['schemas']['Event'];
/** Events of some types. */
export type EventOfType<Type extends ServiceEvent['type']> = Extract<ServiceEvent, { readonly type: Type }>;

/** What is followed. A key with wallet:UPDATE may also follow `everything`. */
export type Topic =
  | { readonly vaultId: string }
  | { readonly proposalId: string }
  | { readonly wallet: string }
  | { readonly everything: true };

export interface FollowOptions {
  /** Number of the last event that the caller has, 0 for all events; the newest event unless given. */
  readonly after?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a number up to which the topic has no further event: kept as `after`, it does not grow old while the topic is quiet. */
  readonly onPosition?: ((seq: number) => void) | undefined;
  /** Called before each new attempt with why the last one ended, for a page that shows whether it is connected. */
  readonly onReconnect?: ((reason: unknown, delayMs: number) => void) | undefined;
  readonly timing?: Timing | undefined;
}

/**
 * The events of a topic in the order of `seq`, each once, over as many connections as it takes. Throws a ServiceError when the service
 * refuses to go on, as when a session has ended; what may pass, such as a process that stops, is tried again.
 */
export async function* followEvents(
  connection: Connection,
  topic: Topic,
  {
    after,
    signal = new AbortController().signal,
    onPosition,
    onReconnect,
    timing = platformTiming,
  }: FollowOptions = {},
): AsyncGenerator<ServiceEvent, void, void> {
  const place: Place = { position: after };
  for (let failures = 1; ; failures += 1) {
    const stream = openStream(connection, { topic, position: place.position, signal, timing });
    const { reason, wasConnected } = yield* newEvents(stream, place, onPosition);
    if (signal.aborted) return;
    if (wasConnected) failures = 1;
    const delay = Math.max(delayAfter(failures, timing.random), waitAskedFor(reason));
    onReconnect?.(reason, delay);
    await timing.pause(delay, signal);
  }
}

/** How far a reader is. */
interface Place {
  /** Number of the last event, or the one that the stream began after. */
  position: number | undefined;
}

interface StreamEnd {
  /** What the connection failed with; null if it just ended. */
  readonly reason: unknown;
  readonly wasConnected: boolean;
}

/** The events of a connection beyond the reader's place, which moves on; returns how it ended. Throws the ServiceError that does not pass. */
async function* newEvents(
  stream: AsyncIterable<StreamMessage>,
  place: Place,
  onPosition: FollowOptions['onPosition'],
): AsyncGenerator<ServiceEvent, StreamEnd, void> {
  let wasConnected = false;
  try {
    for await (const message of stream) {
      const event = eventOf(message);
      wasConnected = true;
      const seq = event?.seq ?? positionOf(message);
      if (!moveOn(place, seq)) continue;
      if (event) yield event;
      else onPosition?.(seq);
    }
    return { reason: null, wasConnected };
  } catch (reason) {
    if (reason instanceof ServiceError && !reason.isRetryable) throw reason;
    return { reason, wasConnected };
  }
}

/** The number of a message without an event. */
function positionOf({ id }: StreamMessage): number {
  return Number(id ?? Number.NaN);
}

/** Moves the place to a number beyond it; returns false for any other. */
function moveOn(place: Place, seq: number): boolean {
  const isBeyond = seq > (place.position ?? -1);
  if (isBeyond) place.position = seq;
  return isBeyond;
}

interface StreamOptions {
  readonly topic: Topic;
  readonly position: number | undefined;
  readonly signal: AbortSignal;
  readonly timing: Timing;
}

/** One connection. Throws a ServiceError when it is refused, and what `fetch` throws. */
async function* openStream(connection: Connection, { topic, position, signal, timing }: StreamOptions) {
  const { baseUrl, fetch = globalThis.fetch } = connection;
  const query = new URLSearchParams('everything' in topic ? {} : topic);
  if (position !== undefined) query.set('after', String(position));
  const ended = new AbortController();
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v1/events?${query.toString()}`, {
      headers: { ...credentialsOf(connection), Accept: 'text/event-stream' },
      cache: 'no-store',
      signal: AbortSignal.any([signal, ended.signal]),
    });
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
    if (!isStream || !response.body) throw serviceErrorOf(jsonOf(await response.text()), response.status);
    yield* readMessages(response.body, timing);
  } finally {
    ended.abort();
  }
}

/** The event of a message; null if it has none. Throws the ServiceError that ends the stream. */
function eventOf({ event, data }: StreamMessage): ServiceEvent | null {
  if (event === 'closed') throw serviceErrorOf(jsonOf(data ?? ''), null);
  return data === null ? null : (JSON.parse(data) as ServiceEvent);
}

/** Milliseconds that the service asks to wait. */
function waitAskedFor(reason: unknown): number {
  const seconds = reason instanceof ServiceError ? reason.details['retryAfterSeconds'] : 0;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
