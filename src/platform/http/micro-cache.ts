import { hash } from 'node:crypto';
import type { Caller } from '../../access/rules.ts';
import { sentBody } from './bodies.ts';
import type { RouteResponse } from './route.ts';

/** Reuses the responses of GET requests for a moment. */
export interface MicroCache {
  /** The cached response for this caller and URL, or the one of `read`, which begins when `limited` calls it. */
  readonly respond: (
    request: { readonly caller: Caller; readonly url: string },
    read: () => Promise<RouteResponse>,
    limited: (read: () => Promise<RouteResponse>) => Promise<RouteResponse>,
  ) => Promise<RouteResponse>;
  /** To be called after each change: what was read before, or is being read, is not used again. */
  readonly drop: () => void;
  /** Whether the changes of other processes are heard; while they are not, nothing is cached. */
  readonly setListening: (isListening: boolean) => void;
}

interface Options {
  /** 0 caches nothing. */
  readonly lifetimeMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

const MAX_ENTRIES = 2_000;
const MAX_CHARACTERS = 16_000_000;
/** One long list does not push out many others. */
const MAX_OF_ONE = 500_000;

interface Entry {
  readonly began: number;
  readonly response: Promise<RouteResponse>;
}

/** What was read since the last change. A read that ends after a change stores its response in a generation that nobody looks into. */
interface Generation {
  readonly entries: Map<string, Entry>;
  characters: number;
}

const newGeneration = (): Generation => ({ entries: new Map(), characters: 0 });

/**
 * A response is reused for the same caller and URL until the next change, and for at most `lifetimeMs` from when its read began. Requests that
 * come while it is being read share it.
 */
export function createMicroCache({ lifetimeMs, now = () => performance.now() }: Options): MicroCache {
  let generation = newGeneration();
  let isListening = false;
  const drop = () => {
    generation = newGeneration();
  };

  function find(name: string): Promise<RouteResponse> | null {
    const entry = generation.entries.get(name);
    return entry && now() < entry.began + lifetimeMs ? entry.response : null;
  }

  function begin(name: string, read: () => Promise<RouteResponse>): Promise<RouteResponse> {
    if (!isListening || lifetimeMs === 0) return read();
    if (generation.entries.size >= MAX_ENTRIES) drop();
    const own = generation;
    const entry = { began: now(), response: readAndMeasure(own, read) };
    own.entries.set(name, entry);
    entry.response.then(
      (response) => {
        if (!isReusable(response)) forget(own, name, entry);
      },
      () => {
        forget(own, name, entry);
      },
    );
    return entry.response;
  }

  /** Serializes the body once for all who get it. */
  async function readAndMeasure(own: Generation, read: () => Promise<RouteResponse>): Promise<RouteResponse> {
    const response = await read();
    if (!isReusable(response)) return response;
    const sent = response.sent ?? sentBody(response.body);
    own.characters += sent.text.length;
    if (own.characters > MAX_CHARACTERS && own === generation) drop();
    return { ...response, body: null, sent };
  }

  return {
    respond({ caller, url }, read, limited) {
      const name = `${digestOf(caller)} ${url}`;
      return find(name) ?? limited(() => find(name) ?? begin(name, read));
    },
    drop,
    setListening(listening) {
      isListening = listening;
      drop();
    },
  };
}

function forget({ entries }: Generation, name: string, entry: Entry): void {
  if (entries.get(name) === entry) entries.delete(name);
}

/** Only a plain body: never what gives a session, or has headers of its own. */
function isReusable({ status, body, sent, headers, issuedSession }: RouteResponse): boolean {
  if (status !== 200 || headers !== undefined || issuedSession !== undefined) return false;
  return sent === undefined ? body !== undefined : sent.text.length <= MAX_OF_ONE;
}

const digests = new WeakMap<Caller, string>();

/** Stands for all that a response can depend on: key, session, wallet, roles and permissions, which take kilobytes. */
function digestOf(caller: Caller): string {
  const known = digests.get(caller) ?? hash('sha256', JSON.stringify(caller), 'base64url');
  digests.set(caller, known);
  return known;
}
