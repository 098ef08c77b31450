import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db } from '../../platform/database/database.ts';
import { type Session, sessionOf } from './sessions.ts';

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
