import { createHash } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { fieldError, ServiceError } from '../domain/errors.ts';
import type { Transaction } from '../store/database.ts';
import { type AnsweredRequest, claimIdempotencyKey, recordAnswer } from '../store/idempotency.ts';
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
export const unkeyed: Idempotency = { once: (_tx, work) => work() };

/** Honours the key of one request. `answered` tells whether the handler kept its side of the bargain. */
export function createIdempotency(request: KeyedRequest, clock: Clock): Idempotency & { answered(): boolean } {
  const { apiKeyId, wallet, operation, key, ...content } = request;
  // One key of a frontend serves many wallets, and none of them may take another's idempotency keys away.
  const scope = { caller: wallet === null ? apiKeyId : `${apiKeyId} ${wallet}`, operation, key };
  let answered = false;
  return {
    answered: () => answered,
    async once<A extends Answer>(tx: Transaction, work: () => Promise<A>): Promise<A> {
      // Only here the schemas have refused what nests deeper than the call stack.
      const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest();
      const now = clock.now();
      const claim = { fingerprint, now: new Date(now), expiresAt: new Date(now + lifetimeMs) };
      const earlier = await claimIdempotencyKey(tx, scope, claim);
      const answer = earlier ? (replay(earlier, fingerprint) as A) : await work();
      if (!earlier) await recordAnswer(tx, scope, { status: answer.status, body: bodyText(answer.body) });
      answered = true;
      return answer;
    },
  };
}

/** Reads the Idempotency-Key header: 1 to 255 visible characters; throws INVALID_REQUEST. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw fieldError('INVALID_REQUEST', 'Idempotency-Key', 'An idempotency key is 1 to 255 visible ASCII characters');
}

function replay(earlier: AnsweredRequest, fingerprint: Buffer): Answer {
  if (!earlier.fingerprint.equals(fingerprint)) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  const body: unknown = earlier.body === null ? undefined : JSON.parse(earlier.body);
  return { status: earlier.status, body, headers: { 'Idempotency-Replayed': 'true' } };
}

function bodyText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}
