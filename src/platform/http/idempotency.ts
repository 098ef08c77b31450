import { createHash } from 'node:crypto';
import type { Clock } from '../units/clock.ts';
import type { Db, Transaction } from '../database/database.ts';
import { findResponse, type IdempotencyClaim } from './queries/idempotency.ts';
import { onceForAll, type RequestKey } from './run-once-in-batch.ts';
import { type RecordedResponse, replay } from './recorded-response.ts';

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
   * The response that is recorded for the request, or else that of `respond`. If `respond` fails, it may be because the same request has
   * been answered meanwhile, and has taken what this one needs: then its response is given. Throws what `once` and `respond` throw.
   */
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
  return {
    key: own,
    isUsed: () => used,
    async recordedOr<A extends RecordedResponse>(db: Db, respond: () => Promise<A>): Promise<A> {
      const earlier = await recorded(db);
      if (earlier) return earlier as A;
      try {
        return await respond();
      } catch (error) {
        const meanwhile = await recorded(db);
        if (meanwhile) return meanwhile as A;
        throw error;
      }
    },
    async once<A extends RecordedResponse>(tx: Transaction, work: () => Promise<A>): Promise<A> {
      const [response] = await onceForAll(tx, [{ idempotency: { key: own } }], async () => [await work()]);
      if (response === undefined || response instanceof Error)
        throw response ?? new RangeError('a response is expected');
      return response;
    },
  };
}
