import type { Transaction } from '../database/database.ts';
import {
  RequestInProgress,
  claimIdempotencyKeys,
  type IdempotencyClaim,
  recordResponses,
  releaseIdempotencyKeys,
} from './queries/idempotency.ts';
import { bodyText, type RecordedResponse, replay } from './recorded-response.ts';

/** The idempotency key of one request. */
export interface RequestKey {
  claim(): IdempotencyClaim;
  /** Called when the request has its response. */
  settle(): void;
}

interface Keyed {
  readonly key: RequestKey | null;
}

/**
 * `Idempotency.once` for requests that are recorded together. `work` runs for the requests without an earlier response and
 * returns a result for each; the key of a failed request is released. If two requests have the same key, the second gets
 * RequestInProgress and must be repeated in a later transaction.
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
  return earlier.map((response) => response ?? rest.next().value ?? new RangeError('it has no response'));
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
