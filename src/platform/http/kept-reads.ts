import type { Turns } from '../async/turns.ts';
import type { Instant } from '../units/instant.ts';
import { coalesce } from '../database/coalesce.ts';
import type { Db } from '../database/database.ts';
import { type ChangesPosition, readChanges } from '../database/recorded-changes.ts';
import { type SentBody, sentBody } from './conditional.ts';
import { createKeptBodies, type ExpectedBody, type KeptBodies, type Validity } from './kept-bodies.ts';
import type { RouteResponse } from './route-response.ts';

/** What came of a read that may be kept. */
export type ReadOutcome = 'kept' | 'read';

/** Keeps what reads returned, and returns it again for as long as it is what a new read would return. */
export interface KeptReads {
  /** The response that is kept under this name, or the one of `read`, which is called when it is the reader's turn. */
  readonly respond: (name: () => string, read: () => Promise<RouteResponse>, inTurn: Turns) => Promise<RouteResponse>;
}

/** Makes every read anew. */
export const nothingKept: KeptReads = { respond: (_name, read, inTurn) => inTurn(read) };

export interface KeptReadsOptions {
  readonly db: Db;
  readonly readingTime: () => Promise<Instant>;
  readonly onRead: (outcome: ReadOutcome) => void;
}

/**
 * Before a kept response is used, Postgres is asked what has changed since it was asked last; reads at about the same time ask together.
 * Why no response is older than its request: docs/decisions/2026-11-23-kept-reads.md.
 */
export function createKeptReads({ db, readingTime, onRead }: KeptReadsOptions): KeptReads {
  const bodies = createKeptBodies();
  const underWay = new Map<string, Promise<RouteResponse>>();
  const changes = forgetter(bodies, { db, readingTime });

  async function findCurrent(name: string, earlier: Promise<unknown> | undefined): Promise<SentBody | null> {
    // A read that finds nothing need not ask: what it keeps is compared with the changes since the last question.
    if (!earlier && bodies.find(name) === null && changes.areFollowed()) return null;
    await changes.forget();
    if (earlier) await earlier.catch(() => undefined);
    const now = await readingTime();
    const kept = bodies.find(name);
    return kept?.isValidAt(now) ? kept.at(now) : null;
  }

  return {
    async respond(nameOf, read, inTurn) {
      const name = nameOf();
      const earlier = underWay.get(name);
      const current = await findCurrent(name, earlier);
      if (current !== null) {
        onRead('kept');
        return { status: 200, body: null, sent: current };
      }
      // One that waits for its turn is not under way: nobody else waits for the reads of its visitor.
      return begunAfter(name, earlier) ?? inTurn(() => begunAfter(name, earlier) ?? readOnce(name, read));
    },
  };

  /** A read that began after a request is as good as its own: one other than was under way when the request came. */
  function begunAfter(name: string, earlier: Promise<RouteResponse> | undefined): Promise<RouteResponse> | null {
    const other = underWay.get(name);
    return other && other !== earlier ? other : null;
  }

  async function readOnce(name: string, read: () => Promise<RouteResponse>): Promise<RouteResponse> {
    const reading = readAndKeep(bodies.expect(name), read);
    underWay.set(name, reading);
    try {
      return await reading;
    } finally {
      if (underWay.get(name) === reading) underWay.delete(name);
    }
  }

  async function readAndKeep(expected: ExpectedBody, read: () => Promise<RouteResponse>): Promise<RouteResponse> {
    try {
      const response = await read();
      onRead('read');
      if (!isKeepable(response)) return response;
      const sent = { ...sentBody(response.body), personalDataOf: response.personalDataOf };
      expected.fill(sent, response.validity);
      return { ...response, sent };
    } finally {
      expected.cancel();
    }
  }
}

/** Forgets the bodies that are no longer true. */
function forgetter(bodies: KeptBodies, { db, readingTime }: Pick<KeptReadsOptions, 'db' | 'readingTime'>) {
  let position: ChangesPosition | null = null;
  const forget = coalesce(async () => {
    const found = await readChanges(db, position, await readingTime());
    if (found.changed === null) bodies.forgetAll();
    else bodies.forget(found.changed);
    ({ position } = found);
    return () => undefined;
  });
  return {
    /** Whether Postgres was asked before: what has changed since can be asked. */
    areFollowed: () => position !== null,
    forget: () => forget(null),
  };
}

/** A response with more than a body is not kept, whatever its operation says. */
function isKeepable(response: RouteResponse): response is RouteResponse & { readonly validity: Validity } {
  const { status, validity, headers, issuedSession } = response;
  return status === 200 && validity !== undefined && headers === undefined && issuedSession === undefined;
}
