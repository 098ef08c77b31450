import type { z } from 'zod';
import { errorBody } from './responses.ts';
import { instantOfSlot, type SlotAnchor, slotAt } from './slots.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Instant, secondsAfter } from '../../platform/units/time.ts';

export interface LedgerOptions {
  /** With its base path, e.g. `https://host/api/v0`. */
  readonly baseUrl: string;
  readonly projectId?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly timeoutMs: number;
  /** Told what the ledger answered when it did not accept a transaction. No caller sees this text. */
  readonly onNotAccepted?: (answer: { readonly status?: number; readonly text: string }) => void;
}

interface Sent extends Pick<RequestInit, 'method' | 'body'> {
  readonly headers?: Readonly<Record<string, string>>;
}

type Query = Readonly<Record<string, string | number>>;

/** HTTP calls to the ledger, without retries: only Temporal retries. */
export interface LedgerHttp {
  /** Null for 404; throws LEDGER_UNAVAILABLE for every other failure. */
  find<Schema extends z.ZodType>(path: string, schema: Schema, query?: Query): Promise<z.infer<Schema> | null>;
  /** As `find`, but throws LEDGER_UNAVAILABLE for 404 too. */
  get<Schema extends z.ZodType>(path: string, schema: Schema, query?: Query): Promise<z.infer<Schema>>;
  /** The entries of a list, one page at a time on demand; none when its first page is a 404. */
  each<Schema extends z.ZodType>(
    path: string,
    schema: z.ZodArray<Schema>,
    query?: Query,
  ): AsyncIterable<z.infer<Schema>>;
  /** As `each`, at most `limit` entries at once. */
  first<Schema extends z.ZodType>(path: string, schema: z.ZodArray<Schema>, limit: number): Promise<z.infer<Schema>[]>;
  /** As `each`, all entries at once. */
  all<Schema extends z.ZodType>(path: string, schema: z.ZodArray<Schema>, query?: Query): Promise<z.infer<Schema>[]>;
  /** Sends bytes; rejects only without an HTTP response. */
  post(path: string, contentType: string, body: Uint8Array<ArrayBuffer>): Promise<{ status: number; text: string }>;
}

const PAGE = 100;
/** A redirection could lead to an address that is not encrypted, with the project id. */
const options = { redirect: 'error' } as const;

export function ledgerHttp({ baseUrl, projectId, fetch = globalThis.fetch, timeoutMs }: LedgerOptions): LedgerHttp {
  const base = baseUrl.replace(/\/+$/, '');
  const whileItResponds = createSilence();
  const headers: Record<string, string> = projectId === undefined ? {} : { project_id: projectId };

  const send = (path: string, { headers: more, ...init }: Sent = {}) =>
    whileItResponds(async () => {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(`${base}${path}`, { ...options, ...init, headers: { ...headers, ...more }, signal });
      return { status: response.status, text: await response.text() };
    });

  const find: LedgerHttp['find'] = async (path, schema, query = {}) => {
    const { status, text } = await requireResponse(path, () => send(`${path}${queryText(query)}`));
    if (status === 404) return null;
    if (status !== 200) throw unavailable('it reports an error', `${path}: ${status} ${reasonIn(text)}`);
    const parsed = schema.safeParse(parseJson(path, text));
    if (!parsed.success) throw unavailable('its response has another form', path, parsed.error);
    return parsed.data;
  };

  const each: LedgerHttp['each'] = async function* (path, schema, query = {}) {
    for (let page = 1; ; page += 1) {
      const found = await find(path, schema, { ...query, count: PAGE, page });
      if (found === null && page === 1) return;
      // A list that exists has an empty page after its last one: without this page, the rest is unknown.
      if (found === null) throw unavailable('a page of a list is missing', `${path}: page ${page}`);
      yield* found;
      if (found.length < PAGE) return;
    }
  };

  return {
    find,
    each,
    async get(path, schema, query) {
      const found = await find(path, schema, query);
      if (found === null) throw unavailable('it does not know what it has to', `${path}: 404`);
      return found;
    },
    async first(path, schema, limit) {
      const entries = [];
      for await (const entry of each(path, schema)) if (entries.push(entry) === limit) break;
      return entries;
    },
    all: (path, schema, query) => Array.fromAsync(each(path, schema, query)),
    post: (path, contentType, body) => send(path, { method: 'POST', headers: { 'content-type': contentType }, body }),
  };
}

/** The reason in an error body, JSON or plain text. */
export function reasonIn(text: string): string {
  try {
    const parsed = errorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.message : text;
  } catch {
    return text; // not JSON: some backends send plain text
  }
}

async function requireResponse<Result>(path: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    throw unavailable('it does not respond', path, cause);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unavailable('its response has another form', path, cause);
  }
}

/** `reason` is for callers. `call` and the words of others are for the log. */
function unavailable(reason: string, call: string, cause?: unknown): ServiceError {
  return new ServiceError('LEDGER_UNAVAILABLE', { reason }, { cause: new Error(call, { cause }) });
}

function queryText(query: Query): string {
  const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return text.length === 0 ? '' : `?${text.join('&')}`;
}

/** So many calls in a row without any response: the ledger hangs, rather than one of its answers. */
const SILENT_AFTER = 5;
/** So many calls then ask whether it responds again. */
const PROBES = 3;

/**
 * Returns how to call a ledger. While it does not respond, all but a few calls are refused at once: each would hold what it waits with,
 * such as a place among the activities of a worker, until its time is up, and what needs no ledger would wait behind it. A call
 * rejects when it gets no response.
 */
function createSilence(): <Result>(call: () => Promise<Result>) => Promise<Result> {
  let unanswered = 0;
  let underWay = 0;
  return async (call) => {
    if (unanswered >= SILENT_AFTER && underWay >= PROBES) throw new Error('the ledger does not respond at present');
    underWay += 1;
    try {
      const result = await call();
      unanswered = 0;
      return result;
    } catch (error) {
      unanswered += 1;
      throw error;
    } finally {
      underWay -= 1;
    }
  };
}

/** How long a transaction that a request starts may wait for its signatures (design D16). */
const REQUESTED_LIFETIME_SECONDS = 30 * 60;
/** How long a transaction that the worker prepares may take to be confirmed before it is built again. */
const PLATFORM_LIFETIME_SECONDS = 2 * 3600;
/** How long cosigners have to sign; ledgers refuse a validity that ends much later. */
export const COSIGNING_SECONDS = 36 * 3600;
/** With less time left, a transaction would expire before it is confirmed. */
const MIN_LIFETIME_SECONDS = 30;

export interface Deadline {
  /** The first slot in which the ledger refuses the transaction. */
  readonly ttlSlot: number;
  readonly expiresAt: Instant;
}

/** A slot and the instant at which it begins. */
export function deadlineAt(anchor: SlotAnchor, ttlSlot: number): Deadline {
  return { ttlSlot, expiresAt: instantOfSlot(anchor, ttlSlot) };
}

/** Half an hour from now, or another lifetime, or `latest` when that is earlier; null means no limit. */
export function deadlineBefore(
  latest: Instant | null,
  now: Instant,
  anchor: SlotAnchor,
  { seconds } = { seconds: REQUESTED_LIFETIME_SECONDS },
): Deadline {
  return deadlineAt(anchor, slotAt(anchor, earlier(secondsAfter(now, seconds), latest)));
}

/** Two hours from now, or another lifetime, or `latest` when that is earlier; null when that leaves no time to be confirmed. */
export function platformTtlSlot(
  anchor: SlotAnchor,
  now: Instant,
  latest: Instant | null,
  { seconds } = { seconds: PLATFORM_LIFETIME_SECONDS },
): number | null {
  const end = earlier(secondsAfter(now, seconds), latest);
  return end < secondsAfter(now, MIN_LIFETIME_SECONDS) ? null : slotAt(anchor, end);
}

function earlier(end: Instant, latest: Instant | null): Instant {
  return latest !== null && latest < end ? latest : end;
}
