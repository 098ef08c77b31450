import type { Selectable } from 'kysely';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { deleteOldRows } from '../../platform/database/delete-old-rows.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import type { SessionsTable } from '../../platform/database/tables/access.ts';
import { type Instant, instant } from '../../platform/units/time.ts';

/** A wallet that is logged in. */
export interface Session {
  readonly id: string;
  readonly wallet: string;
  /** Of the key that signed the login. */
  readonly keyHash: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant;
  /** Moves with each use, at most to `endsAt`. */
  readonly expiresAt: Instant;
  readonly endsAt: Instant;
}

const columns = { createdAt: 'created_at', lastUsedAt: 'last_used_at' } as const;

type SessionOrder = keyof typeof columns;

export async function insertSession(tx: Transaction, session: Session, tokenHash: Buffer): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      token_hash: tokenHash,
      wallet: session.wallet,
      key_hash: session.keyHash,
      created_at: new Date(session.createdAt),
      last_used_at: new Date(session.lastUsedAt),
      expires_at: new Date(session.expiresAt),
      ends_at: new Date(session.endsAt),
    })
    .execute();
}

/** Records a use and the new expiry of the session, unless a later use is recorded. */
export async function recordSessionUse(db: Db, id: string, now: Date, expiresAt: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_used_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .where('last_used_at', '<', now)
    .execute();
}

/** A page of a wallet's live sessions, and the total. */
export async function listSessions(
  db: Db,
  wallet: string,
  now: Date,
  page: Page<SessionOrder>,
): Promise<{ sessions: Session[]; count: PageCount }> {
  const live = db.selectFrom('sessions').where('wallet', '=', wallet).where('expires_at', '>', now);
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, live.selectAll(), live, order, page);
  return { sessions: rows.map(sessionOf), count };
}

/** The live sessions of a wallet except those that were used last, `kept` of them. */
export async function leastRecentSessions(tx: Transaction, wallet: string, now: Date, kept: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id')
    .where('wallet', '=', wallet)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .offset(kept)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes a session of this wallet; returns false when the wallet has none with this id. */
export async function deleteSession(tx: Transaction, wallet: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Deletes expired sessions; returns how many. */
export function deleteExpiredSessions(db: Db, now: Date): Promise<number> {
  return deleteOldRows(db, { table: 'sessions', column: 'expires_at', until: now });
}

/** The session of a row. */
function sessionOf(row: Selectable<SessionsTable>): Session {
  return {
    id: row.id,
    wallet: row.wallet,
    keyHash: row.key_hash,
    createdAt: instant(row.created_at),
    lastUsedAt: instant(row.last_used_at),
    expiresAt: instant(row.expires_at),
    endsAt: instant(row.ends_at),
  };
}

/** A session, and the roles that its wallet was given. */
export interface SessionWithRoles extends Session {
  readonly roles: readonly string[];
}

/** The sessions with these tokens, by the hash of the token in hex; also expired ones. */
export async function sessionsByToken(
  db: Db,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, SessionWithRoles>> {
  const hashes = tokenHashes.map((hash) => Buffer.from(hash, 'hex'));
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('wallet_roles', 'wallet_roles.wallet', 'sessions.wallet')
    .selectAll('sessions')
    .select('wallet_roles.roles')
    .where('token_hash', '=', anyOf(hashes))
    .execute();
  return new Map(rows.map((row) => [row.token_hash.toString('hex'), { ...sessionOf(row), roles: row.roles ?? [] }]));
}

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
  return deleteOldRows(db, { table: 'login_nonces', column: 'expires_at', until: now });
}
