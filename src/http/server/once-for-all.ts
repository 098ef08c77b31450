import type { Transaction } from '../../store/database.ts';
import {
  AnswerInProgress,
  claimIdempotencyKeys,
  type IdempotencyClaim,
  recordAnswers,
  releaseIdempotencyKeys,
} from '../../store/idempotency.ts';
import { bodyText, type RecordedAnswer, replay } from './recorded-answer.ts';

/** The idempotency key of one request. */
export interface RequestKey {
  claim(): IdempotencyClaim;
  /** Called when the request has its answer. */
  settle(): void;
}

interface Keyed {
  readonly key: RequestKey | null;
}

/**
 * `Idempotency.once` for requests that are recorded together. `work` runs for the requests without an earlier answer and
 * returns a result for each; the key of a failed request is released. If two requests have the same key, the second gets
 * AnswerInProgress and must be repeated in a later transaction.
 */
export async function onceForAll<Item extends { readonly idempotency: Keyed }, A extends RecordedAnswer>(
  tx: Transaction,
  items: readonly Item[],
  work: (fresh: readonly Item[]) => Promise<readonly (A | Error)[]>,
): Promise<(A | Error)[]> {
  const earlier = await earlierAnswers<A>(tx, items);
  const fresh = items.filter((_, place) => earlier[place] === null);
  const results = fresh.length === 0 ? [] : await work(fresh);
  if (results.length !== fresh.length) throw new RangeError('a result for every request is expected');
  await recordResults(tx, fresh, results);
  const rest = results.values();
  return earlier.map((answer) => answer ?? rest.next().value ?? new RangeError('it has no answer'));
}

/** Earlier answer of each request; null when the request has claimed its key now, or has none. */
async function earlierAnswers<A extends RecordedAnswer>(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
): Promise<(A | Error | null)[]> {
  const keys = requests.flatMap(({ idempotency: { key } }) => key ?? []);
  const claims = keys.map((key) => key.claim());
  const found = await claimIdempotencyKeys(tx, claims);
  const earlier = new Map(keys.map((key, place) => [key, found[place] ?? null]));
  return requests.map(({ idempotency: { key } }) => {
    const known = key && earlier.get(key);
    if (!known || known instanceof AnswerInProgress) return known ?? null;
    const answer = replay(known, key.claim().fingerprint);
    if (!(answer instanceof Error)) key.settle();
    return answer as A | Error;
  });
}

async function recordResults(
  tx: Transaction,
  requests: readonly { readonly idempotency: Keyed }[],
  results: readonly (RecordedAnswer | Error)[],
): Promise<void> {
  const answered: (IdempotencyClaim & { status: number; body: string | null })[] = [];
  const failed: IdempotencyClaim[] = [];
  for (const [place, { idempotency }] of requests.entries()) {
    const result = results[place];
    const { key } = idempotency;
    if (!key || !result) continue;
    if (result instanceof Error) {
      failed.push(key.claim());
      continue;
    }
    answered.push({ ...key.claim(), status: result.status, body: bodyText(result.body) });
    key.settle();
  }
  await releaseIdempotencyKeys(tx, failed);
  await recordAnswers(tx, answered);
}
