import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/units/clock.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import type { Transaction } from '../../store/database.ts';
import {
  AnswerUnderWay,
  type AnsweredRequest,
  claimIdempotencyKeys,
  type IdempotencyClaim,
  recordAnswers,
  releaseIdempotencyKeys,
} from '../../store/idempotency.ts';
import type { Answer } from './answer.ts';

/** How long a key answers with its first answer. Wall time (design D36). */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Makes a repeated request harmless: what it changed and what it answered are one fact. */
export interface Idempotency {
  /**
   * Runs `work` and records its answer in `tx`, or, when the request's Idempotency-Key was answered before, returns that
   * answer and runs nothing. Call it first in the transaction. Without a key it only runs `work`.
   * Throws IDEMPOTENCY_KEY_REUSED when the key belongs to another request.
   */
  once<A extends Answer>(tx: Transaction, work: () => Promise<A>): Promise<A>;
  /** For `onceForAll`; null without a key. */
  readonly key: RequestKey | null;
}

interface RequestKey {
  claim(): IdempotencyClaim;
  /** To be called once the request has its answer. */
  settle(): void;
}

/** The part of a request that has to be equal for its key to be honoured. */
interface KeyedRequest {
  readonly apiKeyId: string;
  readonly wallet: string | null;
  readonly operation: string;
  readonly key: string;
  readonly url: string;
  readonly body: unknown;
}

/** For a request that carries no key, and for operations that change nothing. */
export const withoutKey: Idempotency = { once: (_tx, work) => work(), key: null };

/** Honours the key of one request. `answered` tells whether the handler kept its side of the bargain. */
export function createIdempotency(request: KeyedRequest, clock: Clock): Idempotency & { answered(): boolean } {
  const { apiKeyId, wallet, operation, key, ...content } = request;
  // One key of a frontend serves many wallets, and none of them may take another's idempotency keys away.
  const scope = { caller: wallet === null ? apiKeyId : `${apiKeyId} ${wallet}`, operation, key };
  let answered = false;
  let claim: IdempotencyClaim | undefined;
  const own: RequestKey = {
    claim() {
      // Only here the schemas have refused what nests deeper than the call stack.
      const fingerprint = () => createHash('sha256').update(JSON.stringify(content)).digest();
      const now = clock.now();
      claim ??= { ...scope, fingerprint: fingerprint(), now: new Date(now), expiresAt: new Date(now + lifetimeMs) };
      return claim;
    },
    settle() {
      answered = true;
    },
  };
  return {
    key: own,
    answered: () => answered,
    async once<A extends Answer>(tx: Transaction, work: () => Promise<A>): Promise<A> {
      const [answer] = await onceForAll(tx, [{ idempotency: { key: own } }], async () => [await work()]);
      if (answer === undefined || answer instanceof Error) throw answer ?? new RangeError('an answer is expected');
      return answer;
    },
  };
}

/**
 * `Idempotency.once` for requests that are written together. `work` runs for those alone that were not answered before and answers
 * each of them; one it refuses has its key back. A twin among them gets AnswerUnderWay, to be asked again in a later transaction.
 */
export async function onceForAll<Item extends { readonly idempotency: Keyed }, A extends Answer>(
  tx: Transaction,
  items: readonly Item[],
  work: (fresh: readonly Item[]) => Promise<readonly (A | Error)[]>,
): Promise<(A | Error)[]> {
  const earlier = await earlierAnswers<A>(tx, items);
  const fresh = items.filter((_, place) => earlier[place] === null);
  const results = fresh.length === 0 ? [] : await work(fresh);
  if (results.length !== fresh.length) throw new RangeError('a result for every request is expected');
  await keepAnswers(tx, fresh, results);
  const rest = results.values();
  return earlier.map((answer) => answer ?? rest.next().value ?? new RangeError('it has no answer'));
}

type Keyed = Pick<Idempotency, 'key'>;

/** What each request was answered before; null when it has its key now, or carries none. */
async function earlierAnswers<A extends Answer>(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
): Promise<(A | Error | null)[]> {
  const keys = requests.flatMap(({ idempotency: { key } }) => key ?? []);
  const claims = keys.map((key) => key.claim());
  const found = await claimIdempotencyKeys(tx, claims);
  const earlier = new Map(keys.map((key, place) => [key, found[place] ?? null]));
  return requests.map(({ idempotency: { key } }) => {
    const known = key && earlier.get(key);
    if (!known || known instanceof AnswerUnderWay) return known ?? null;
    const answer = replay(known, key.claim().fingerprint);
    if (!(answer instanceof Error)) key.settle();
    return answer as A | Error;
  });
}

async function keepAnswers(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
  results: readonly (Answer | Error)[],
): Promise<void> {
  const kept: (IdempotencyClaim & { status: number; body: string | null })[] = [];
  const refused: IdempotencyClaim[] = [];
  for (const [place, { idempotency }] of requests.entries()) {
    const result = results[place];
    const { key } = idempotency;
    if (!key || !result) continue;
    if (result instanceof Error) {
      refused.push(key.claim());
      continue;
    }
    kept.push({ ...key.claim(), status: result.status, body: bodyText(result.body) });
    key.settle();
  }
  await releaseIdempotencyKeys(tx, refused);
  await recordAnswers(tx, kept);
}

/** Reads the Idempotency-Key header: 1 to 255 visible characters; throws INVALID_REQUEST. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw fieldError('INVALID_REQUEST', 'Idempotency-Key', 'An idempotency key is 1 to 255 visible ASCII characters');
}

function replay(earlier: AnsweredRequest, fingerprint: Buffer): Answer | ServiceError {
  if (!earlier.fingerprint.equals(fingerprint)) return new ServiceError('IDEMPOTENCY_KEY_REUSED');
  const body: unknown = earlier.body === null ? undefined : JSON.parse(earlier.body);
  return { status: earlier.status, body, headers: { 'Idempotency-Replayed': 'true' } };
}

function bodyText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}
