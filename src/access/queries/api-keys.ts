import { type Selectable, sql } from 'kysely';
import type { Permission } from '../rules.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { ApiKeysTable } from '../../platform/database/tables/access.ts';

/** `created_by` of the keys of the configuration. */
export const bootstrapCreator = 'bootstrap';

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
  /** The key that this one replaces. */
  readonly replaces?: string | null;
}

/** The key with this id, also an expired or revoked one. */
export async function findApiKey(db: Db, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

/** As `findApiKey`, for many ids at once. */
export async function apiKeysById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRow>> {
  const rows = await db.selectFrom('api_keys').selectAll().where('id', '=', anyOf(ids)).execute();
  return new Map(rows.map((row) => [row.id, row]));
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
      replaces: key.replaces ?? null,
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

/** The key, locked until the transaction ends. */
export async function lockApiKey(tx: Transaction, id: string): Promise<ApiKeyRow | undefined> {
  return tx.selectFrom('api_keys').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Whether a rotation has replaced the key. */
export async function hasSuccessor(tx: Transaction, id: string): Promise<boolean> {
  const successor = await tx.selectFrom('api_keys').select('id').where('replaces', '=', id).executeTakeFirst();
  return successor !== undefined;
}

/** Lets the key expire at `end`, unless it expires before. */
export async function limitApiKey(tx: Transaction, id: string, end: Date): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ expires_at: end })
    .where('id', '=', id)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', end)]))
    .execute();
}

/** Whether there is an ADMIN key, not of the configuration, that may be used at `at` and does not expire before `until`. */
export async function hasAdminKey(
  tx: Transaction,
  { environment, at, until }: { readonly environment: string; readonly at: Date; readonly until: Date },
): Promise<boolean> {
  const found = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('created_by', '!=', bootstrapCreator)
    .where('environment', '=', environment)
    .where(sql<boolean>`'ADMIN' = any(roles)`)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>=', until)]))
    .where((row) => row.or([row('revoked_at', 'is', null), row('revoked_at', '>', at)]))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Lets every ADMIN key of the configuration expire at `end`, unless it expires before; returns the ids of those that it limited. */
export async function limitBootstrapKeys(tx: Transaction, end: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('api_keys')
    .set({ expires_at: end })
    .where('created_by', '=', bootstrapCreator)
    .where(sql<boolean>`'ADMIN' = any(roles)`)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', end)]))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

const columns = { createdAt: 'created_at', name: 'name' } as const;

/** A page of all keys, also of those that have ended. */
export async function listApiKeys(
  db: Db,
  { createdBy, page }: { createdBy: string | undefined; page: Page<keyof typeof columns> },
): Promise<{ keys: ApiKeyRow[]; count: PageCount }> {
  const matching = db.selectFrom('api_keys').where((row) => row.and(givenFields({ created_by: createdBy })));
  const { rows, count } = await readPage(db, matching.selectAll(), matching, { columns, tieBreak: ['id'] }, page);
  return { keys: rows, count };
}

/** What a process may no longer believe about who calls: an API key, a session, or all sessions of a wallet. */
export type CredentialChange =
  | { readonly kind: 'key'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'wallet'; readonly wallet: string };

export const credentialChannel = 'credential_changes';

/** Tells every process of the change when the transaction commits. */
export async function announceCredentialChange(tx: Transaction, change: CredentialChange): Promise<void> {
  await sql`select pg_notify(${credentialChannel}, ${JSON.stringify(change)})`.execute(tx);
}

export function parseCredentialChange(payload: string): CredentialChange {
  return JSON.parse(payload) as CredentialChange;
}
