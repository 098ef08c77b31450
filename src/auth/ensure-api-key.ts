import type { Clock } from '../domain/units/clock.ts';
import { findApiKey, insertApiKey } from '../store/api-keys.ts';
import type { Db } from '../store/database.ts';
import { hashSecret, parseApiKey } from './api-key-format.ts';

/** An API key from the configuration. */
interface ConfiguredKey {
  readonly text: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Requests per window of the rate limiter; the default of its roles when absent. */
  readonly rateLimit?: number;
}

/** Stores the key unless it is stored. Throws an Error when its text is no key, or when its id is stored with another secret. */
export async function ensureApiKey(db: Db, clock: Clock, { text, name, ...grants }: ConfiguredKey): Promise<void> {
  const parts = parseApiKey(text);
  if (!parts) throw new Error(`the ${name} key must look like vts_<env>_<id>_<secret>`);
  const { id, environment } = parts;
  const secretHash = hashSecret(parts.secret);
  const createdAt = new Date(clock.now());
  if (await insertApiKey(db, { id, environment, name, secretHash, ...grants, createdBy: 'bootstrap', createdAt }))
    return;
  const stored = await findApiKey(db, id);
  if (!stored?.secret_hash.equals(secretHash)) throw new Error(`the ${name} key is stored with another secret`);
}
