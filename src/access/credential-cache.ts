import { evictOldest } from '../platform/async.ts';
import type { Clock } from '../platform/units/time.ts';
import { type ApiKeyRow, apiKeysById, type CredentialChange } from './queries/api-keys.ts';
import { batchLoader } from '../platform/database/batch-loader.ts';
import type { Db } from '../platform/database/database.ts';
import { sessionsByToken, type SessionWithRoles } from './queries/sessions.ts';

/** A change that no message announced takes effect after this time. */
const KEPT_MS = 5_000;
/** The longest-known are forgotten first; each then costs one query. */
const MAX_ENTRIES = 10_000;

/** How current a credential has to be. Who may no longer act must not change anything, also where no message has said so. */
export type Freshness = 'cached' | 'current';

/** Looks keys and sessions up, and keeps what it found for a few seconds. */
export interface CredentialCache {
  readonly findKey: (id: string, freshness: Freshness) => Promise<ApiKeyRow | null>;
  readonly findSession: (tokenHash: Buffer, freshness: Freshness) => Promise<SessionWithRoles | null>;
  /** Looks up again what has changed; everything without a change. */
  readonly forget: (change?: CredentialChange) => void;
}

export function createCredentialCache(db: Db, clock: Clock): CredentialCache {
  const keys = remembering(
    clock,
    batchLoader((ids) => apiKeysById(db, ids)),
  );
  const sessions = remembering(
    clock,
    batchLoader((hashes) => sessionsByToken(db, hashes)),
    // Another process may have extended the session meanwhile.
    ({ expiresAt }) => expiresAt,
  );
  return {
    findKey: keys.find,
    findSession: (tokenHash, freshness) => sessions.find(tokenHash.toString('hex'), freshness),
    forget: (change) => {
      if (change?.kind !== 'session' && change?.kind !== 'wallet') keys.forget((key) => isOf(change, key.id));
      if (change?.kind !== 'key') sessions.forget(({ id, wallet }) => isOf(change, id, wallet));
    },
  };
}

function isOf(change: CredentialChange | undefined, id: string, wallet?: string): boolean {
  if (change === undefined) return true;
  return change.kind === 'wallet' ? change.wallet === wallet : change.id === id;
}

/** Looks values up by text and keeps those that were found until they are forgotten, for at most `KEPT_MS`. */
function remembering<Value>(
  clock: Clock,
  load: (text: string) => Promise<Value | null>,
  endOf: (value: Value) => number = () => Infinity,
) {
  const kept = new Map<string, { readonly value: Value; readonly since: number }>();
  let changes = 0;
  const isFresh = ({ value, since }: { readonly value: Value; readonly since: number }) => {
    const now = clock.now();
    return since <= now && now < Math.min(since + KEPT_MS, endOf(value));
  };
  return {
    find: async (text: string, freshness: Freshness): Promise<Value | null> => {
      const known = freshness === 'current' ? undefined : kept.get(text);
      if (known && isFresh(known)) return known.value;
      kept.delete(text);
      const [since, changesBefore] = [clock.now(), changes];
      const value = await load(text);
      // What was read while something changed may be from before the change.
      if (value === null || changes !== changesBefore) return value;
      kept.set(text, { value, since });
      evictOldest(kept, MAX_ENTRIES);
      return value;
    },
    forget: (isChanged: (value: Value) => boolean): void => {
      changes += 1;
      for (const [text, { value }] of kept) if (isChanged(value)) kept.delete(text);
    },
  };
}
