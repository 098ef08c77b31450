import type { Selectable } from 'kysely';
import type { Permission } from '../domain/identity/permission.ts';
import { anyOf } from './bulk-insert.ts';
import type { ApiKeysTable } from './tables/access.ts';
import type { Db } from './database.ts';

export type ApiKeyRow = Selectable<ApiKeysTable>;

export interface NewApiKey {
  readonly id: string;
  readonly environment: string;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly roles: readonly string[];
  readonly permissions?: readonly Permission[];
  readonly rateLimit?: number | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date | null;
}

/** The key with this id, also an expired or revoked one. */
export async function findApiKey(db: Db, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

/** As `findApiKey`, for many ids at once. */
export async function apiKeysById(db: Db, ids: readonly string[]): Promise<(id: string) => ApiKeyRow | undefined> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', anyOf([...new Set(ids)]))
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return (id) => found.get(id);
}

/** Stores a key; returns false when one with this id exists. */
export async function insertApiKey(db: Db, key: NewApiKey): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      environment: key.environment,
      name: key.name,
      secret_hash: key.secretHash,
      roles: [...key.roles],
      permissions: JSON.stringify(key.permissions ?? []),
      rate_limit: key.rateLimit ?? null,
      created_by: key.createdBy,
      created_at: key.createdAt,
      expires_at: key.expiresAt ?? null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Records that the key was used, unless a use after `staleBefore` is recorded. */
export async function recordApiKeyUse(db: Db, id: string, now: Date, staleBefore: Date): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', staleBefore)]))
    .execute();
}

/** Revokes the key from `now` on. */
export async function revokeApiKey(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();
}
