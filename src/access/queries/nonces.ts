import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import { deletePast } from '../../platform/database/delete-past.ts';

/** A nonce that one wallet may sign, once and until `expiresAt`. */
export interface Nonce {
  readonly nonce: string;
  readonly wallet: string;
  readonly expiresAt: Instant;
}

export async function insertNonce(db: Db, { nonce, wallet, expiresAt }: Nonce): Promise<void> {
  await db
    .insertInto('login_nonces')
    .values({ nonce, wallet, expires_at: new Date(expiresAt) })
    .execute();
}

/** Deletes the nonce, also an expired one, commits at once and returns it; of two callers one gets it, the other null. */
export async function consumeNonce(db: Db, nonce: string): Promise<Nonce | null> {
  const row = await db.deleteFrom('login_nonces').where('nonce', '=', nonce).returningAll().executeTakeFirst();
  return row ? { nonce, wallet: row.wallet, expiresAt: instant(row.expires_at) } : null;
}

/** Deletes expired nonces; returns how many. */
export function deleteExpiredNonces(db: Db, now: Date): Promise<number> {
  return deletePast(db, { table: 'login_nonces', column: 'expires_at', until: now });
}
