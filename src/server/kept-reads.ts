import type { Instant } from '../domain/units/instant.ts';
import { coalesce } from '../store/coalesce.ts';
import type { Db } from '../store/database.ts';
import { type ChangesPosition, readChanges } from '../store/recorded-changes.ts';
import { type SentBody, sentBody } from './conditional.ts';
import { createKeptBodies, type Validity } from './kept-bodies.ts';
import type { RouteResponse } from './route-response.ts';

/** What came of a read that may be kept. */
export type ReadOutcome = 'kept' | 'read';

/** Keeps what reads returned, and returns it again for as long as it is what a new read would return. */
export interface KeptReads {
  /** The response that is kept under this name, or the one of `read`. */
  readonly respond: (name: () => string, read: () => Promise<RouteResponse>) => Promise<RouteResponse>;
}

/** Makes every read anew. */
export const nothingKept: KeptReads = { respond: (_name, read) => read() };

export interface KeptReadsOptions {
  readonly db: Db;
  readonly readingTime: () => Promise<Instant>;
  readonly onRead: (outcome: ReadOutcome) => void;
}

/** Changes are recorded for an hour; a position must be younger, by more than a transaction takes. */
const POSITION_MS = 1_800_000;

/**
 * Before a kept response is used, Postgres is asked what has changed since it was asked last; reads at about the same time ask together.
 * Why no response is older than its request: docs/decisions/2026-11-23-kept-reads.md.
 */
export function createKeptReads({ db, readingTime, onRead }: KeptReadsOptions): KeptReads {
  const bodies = createKeptBodies();
  let position: ChangesPosition | null = null;
  let askedAt = 0;

  const forgetChanged = coalesce(async () => {
    const began = performance.now();
    const since = began - askedAt < POSITION_MS ? position : null;
    const found = await readChanges(db, since, await readingTime());
    if (found.changed === null) bodies.forgetAll();
    else bodies.forget(found.changed);
    [position, askedAt] = [found.position, began];
    return () => undefined;
  });

  async function findCurrent(name: string): Promise<SentBody | null> {
    // A read that finds nothing need not ask: what it keeps is compared with the changes since the last question.
    if (bodies.find(name) === null && position !== null) return null;
    await forgetChanged(null);
    const now = await readingTime();
    const kept = bodies.find(name);
    return kept?.isValidAt(now) ? kept.at(now) : null;
  }

  return {
    async respond(nameOf, read) {
      const name = nameOf();
      const current = await findCurrent(name);
      if (current !== null) {
        onRead('kept');
        return { status: 200, body: null, sent: current };
      }
      const expected = bodies.expect(name);
      try {
        const response = await read();
        if (!isKeepable(response)) return response;
        onRead('read');
        const sent = sentBody(response.body);
        expected.fill(sent, response.validity);
        return { ...response, sent };
      } finally {
        expected.cancel();
      }
    },
  };
}

/** A response with more than a body is not kept, whatever its operation says. */
function isKeepable(response: RouteResponse): response is RouteResponse & { readonly validity: Validity } {
  const { status, validity, headers, issuedSession } = response;
  return status === 200 && validity !== undefined && headers === undefined && issuedSession === undefined;
}
