import { type Instant, instant } from '../domain/units/instant.ts';
import type { Db } from './database.ts';

/** What one wallet is asked to sign, once and until `expiresAt`. */
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

/** Takes the nonce out for good, also an expired one, and commits at once; of two takers one gets it, the other null. */
export async function takeNonce(db: Db, nonce: string): Promise<Nonce | null> {
  const row = await db.deleteFrom('login_nonces').where('nonce', '=', nonce).returningAll().executeTakeFirst();
  return row ? { nonce, wallet: row.wallet, expiresAt: instant(row.expires_at) } : null;
}

/** Forgets nonces nobody took in time; returns how many. */
export async function deleteExpiredNonces(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('login_nonces')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
