import type { Clock } from '../domain/units/clock.ts';
import { type ApiKeyRow, recordApiKeyUse } from '../store/api-keys.ts';
import type { Db } from '../store/database.ts';
import { isSecret, parseApiKey } from './api-key-format.ts';

/** `last_used_at` is written at most this often for each key. */
const useRecordedEveryMs = 60_000;

/** The stored key that a text is, if it may be used now; null for any other text. */
export async function liveApiKey(
  db: Db,
  clock: Clock,
  text: string,
  findKey: (id: string) => Promise<ApiKeyRow | undefined>,
): Promise<ApiKeyRow | null> {
  const parts = parseApiKey(text);
  const stored = parts && (await findKey(parts.id));
  if (!stored || stored.environment !== parts.environment || !isSecret(parts.secret, stored.secret_hash)) {
    return null;
  }
  const now = new Date(clock.now());
  if (!isLive(stored, now)) return null;
  await recordUse(db, stored, now);
  return stored;
}

function isLive({ expires_at, revoked_at }: ApiKeyRow, now: Date): boolean {
  return (expires_at === null || now < expires_at) && (revoked_at === null || now < revoked_at);
}

async function recordUse(db: Db, { id, last_used_at }: ApiKeyRow, now: Date): Promise<void> {
  const staleBefore = new Date(now.getTime() - useRecordedEveryMs);
  if (last_used_at === null || last_used_at < staleBefore) await recordApiKeyUse(db, id, now, staleBefore);
}
