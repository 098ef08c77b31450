import { createHash } from 'node:crypto';
import type { Db, Transaction } from '../database/database.ts';
import { fieldError, atField, ServiceError } from '../errors.ts';
import {
  findResponse,
  type IdempotencyClaim,
  claimIdempotencyKeys,
  recordResponses,
  RequestInProgress,
  releaseIdempotencyKeys,
  scopeText,
  type CompletedRequest,
} from './queries/idempotency.ts';
import type { Clock } from '../units/time.ts';

/** Time for which a key returns its first response. Wall time (design D36). */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Makes a repeated request harmless: its changes and its response are recorded in one transaction. */
export interface Idempotency {
  /**
   * Runs `work` and records its response in `tx`. If the key already has a response, returns that response and does not run
   * `work`. Must be the first call in the transaction. Without a key it only runs `work`.
   * Throws IDEMPOTENCY_KEY_REUSED when the key belongs to another request.
   */
  once<A extends RecordedResponse>(tx: Transaction, work: () => Promise<A>): Promise<A>;
  /** For `onceForAll`; null without a key. */
  readonly key: RequestKey | null;
}

/** The parts of a request that must be equal in every request with the same key. */
interface KeyedRequest {
  readonly apiKeyId: string;
  readonly wallet: string | null;
  readonly operation: string;
  readonly key: string;
  readonly url: string;
  readonly body: unknown;
}

/** For a request without a key, and for operations that accept none. */
export const withoutKey: Idempotency = { once: (_tx, work) => work(), key: null };

/** The idempotency of one request with a key. */
export interface KeyedIdempotency extends Idempotency {
  /** Whether the handler of the request has used it. */
  isUsed(): boolean;
  /**
   * The response of `respond`. If it fails, it may be because the same request has been answered meanwhile, and has taken what this one
   * needs: then its response is given. Throws what `once` and `respond` throw.
   */
  orRecorded<A extends RecordedResponse>(db: Db, respond: () => Promise<A>): Promise<A>;
  /** As `orRecorded`, but asks for a recorded response first, so that a repeated request does nothing else. */
  recordedOr<A extends RecordedResponse>(db: Db, respond: () => Promise<A>): Promise<A>;
}

export function createIdempotency(request: KeyedRequest, clock: Clock): KeyedIdempotency {
  const { apiKeyId, wallet, operation, key, ...content } = request;
  // One API key of a frontend serves many wallets, and their idempotency keys must not collide.
  const scope = { caller: wallet === null ? apiKeyId : `${apiKeyId} ${wallet}`, operation, key };
  let used = false;
  let claim: IdempotencyClaim | undefined;
  const own: RequestKey = {
    claim() {
      // Computed late: a request that its schemas refuse needs none.
      const fingerprint = () => createHash('sha256').update(JSON.stringify(content)).digest();
      const now = clock.now();
      claim ??= { ...scope, fingerprint: fingerprint(), now: new Date(now), expiresAt: new Date(now + lifetimeMs) };
      return claim;
    },
    settle() {
      used = true;
    },
  };
  const recorded = async (db: Db) => {
    const found = await findResponse(db, own.claim());
    if (!found) return null;
    const response = replay(found, own.claim().fingerprint);
    if (response instanceof Error) throw response;
    used = true;
    return response;
  };
  const orRecorded = async <A extends RecordedResponse>(db: Db, respond: () => Promise<A>): Promise<A> => {
    try {
      return await respond();
    } catch (error) {
      const meanwhile = await recorded(db);
      if (meanwhile) return meanwhile as A;
      throw error;
    }
  };
  return {
    key: own,
    isUsed: () => used,
    orRecorded,
    recordedOr: async <A extends RecordedResponse>(db: Db, respond: () => Promise<A>) =>
      ((await recorded(db)) as A | null) ?? orRecorded(db, respond),
    async once<A extends RecordedResponse>(tx: Transaction, work: () => Promise<A>): Promise<A> {
      const [response] = await onceForAll(tx, [{ idempotency: { key: own } }], async () => [await work()]);
      if (response === undefined || response instanceof Error)
        throw response ?? new RangeError('a response is expected');
      return response;
    },
  };
}

/** What an idempotency key is, in the words of errors. */
export const KEY_TEXT = '1 to 255 visible ASCII characters';

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Reads the Idempotency-Key header; null when it is absent. Throws INVALID_REQUEST unless it is `KEY_TEXT`. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (isIdempotencyKey(header)) return header;
  throw fieldError('INVALID_REQUEST', 'Idempotency-Key', `An \`Idempotency-Key\` must be ${KEY_TEXT}.`);
}

/** The idempotency key of one request. */
interface RequestKey {
  claim(): IdempotencyClaim;
  /** Called when the request has its response. */
  settle(): void;
}

interface Keyed {
  readonly key: RequestKey | null;
}

/**
 * `Idempotency.once` for requests that are recorded together. `work` runs for the requests without an earlier response and
 * returns a result for each; the key of a failed request is released. Of several requests with one key only the first runs, and the
 * others get its result.
 */
export async function onceForAll<Item extends { readonly idempotency: Keyed }, A extends RecordedResponse>(
  tx: Transaction,
  items: readonly Item[],
  work: (fresh: readonly Item[]) => Promise<readonly (A | Error)[]>,
): Promise<(A | Error)[]> {
  const earlier = await earlierResponses<A>(tx, items);
  const fresh = items.filter((_, place) => earlier[place] === null);
  const results = fresh.length === 0 ? [] : await work(fresh);
  if (results.length !== fresh.length) throw new RangeError('a result for every request is expected');
  await recordResults(tx, fresh, results);
  const rest = results.values();
  const all = earlier.map((response) => response ?? rest.next().value ?? new RangeError('it has no response'));
  const firsts = new Map(
    fresh.flatMap(({ idempotency: { key } }, place) =>
      key ? [[scopeText(key.claim()), { key, result: results[place] }]] : [],
    ),
  );
  return all.map((result, place) => {
    const key = items[place]?.idempotency.key;
    const first = result instanceof RequestInProgress && key ? firsts.get(scopeText(key.claim())) : undefined;
    return key && first?.result ? repeated(first.result, first.key, key) : result;
  });
}

/** The result of a request with the key of the `first` one of its transaction. */
function repeated<A extends RecordedResponse>(result: A | Error, first: RequestKey, key: RequestKey): A | Error {
  if (!first.claim().fingerprint.equals(key.claim().fingerprint)) return keyReused();
  if (result instanceof Error) return result;
  key.settle();
  return { ...result, headers: replayed };
}

/** Earlier response of each request; null when the request has claimed its key now, or has none. */
async function earlierResponses<A extends RecordedResponse>(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
): Promise<(A | Error | null)[]> {
  const keys = requests.flatMap(({ idempotency: { key } }) => key ?? []);
  const claims = keys.map((key) => key.claim());
  const found = await claimIdempotencyKeys(tx, claims);
  const earlier = new Map(keys.map((key, place) => [key, found[place] ?? null]));
  return requests.map(({ idempotency: { key } }) => {
    const known = key && earlier.get(key);
    if (!known || known instanceof RequestInProgress) return known ?? null;
    const response = replay(known, key.claim().fingerprint);
    if (!(response instanceof Error)) key.settle();
    return response as A | Error;
  });
}

async function recordResults(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
  results: readonly (RecordedResponse | Error)[],
): Promise<void> {
  const completed: (IdempotencyClaim & { status: number; body: string | null })[] = [];
  const failed: IdempotencyClaim[] = [];
  for (const [place, { idempotency }] of requests.entries()) {
    const result = results[place];
    const { key } = idempotency;
    if (!key || !result) continue;
    if (result instanceof Error) {
      failed.push(key.claim());
      continue;
    }
    completed.push({ ...key.claim(), status: result.status, body: bodyText(result.body) });
    key.settle();
  }
  await releaseIdempotencyKeys(tx, failed);
  await recordResponses(tx, completed);
}

/** The response that a repeated request gets again: HTTP status, body and headers. */
export interface RecordedResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The recorded response of an earlier request; IDEMPOTENCY_KEY_REUSED when that was another request. */
function replay(earlier: CompletedRequest, fingerprint: Buffer): RecordedResponse | ServiceError {
  if (!earlier.fingerprint.equals(fingerprint)) return keyReused();
  const body: unknown = earlier.body === null ? undefined : JSON.parse(earlier.body);
  return { status: earlier.status, body, headers: replayed };
}

const replayed = { 'Idempotency-Replayed': 'true' };

const keyReused = () => atField(new ServiceError('IDEMPOTENCY_KEY_REUSED'), 'Idempotency-Key');

/** The body as it is stored; null when there is none. */
function bodyText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}
