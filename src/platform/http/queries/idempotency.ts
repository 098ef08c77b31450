import { sql } from 'kysely';
import type { Db, Transaction } from '../../database/database.ts';
import { deleteOldRows } from '../../database/delete-old-rows.ts';

/** What identifies a repeated request: its caller, its operation and its key. */
export interface IdempotencyScope {
  /** The API key, and the wallet that is logged in with it. */
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
}

export interface CompletedRequest {
  readonly fingerprint: Buffer;
  readonly status: number;
  /** The exact JSON text that was sent; null for an empty body. */
  readonly body: string | null;
}

/** A key that a request claims, for as long as its response is stored. */
export interface IdempotencyClaim extends IdempotencyScope {
  readonly fingerprint: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** The same request claimed the key in this transaction: it has no response yet. */
export class RequestInProgress extends Error {
  override readonly name = 'RequestInProgress';
}

/**
 * Claims keys for this transaction, in one order for all transactions. Returns for each claim, in the order given: null when it is
 * claimed now, or the stored response. The same request waits here until the first transaction ends. An expired record is replaced.
 */
export async function claimIdempotencyKeys(
  tx: Transaction,
  claims: readonly IdempotencyClaim[],
): Promise<(CompletedRequest | RequestInProgress | null)[]> {
  const firsts = new Map(claims.toReversed().map((claim) => [scopeText(claim), claim]));
  const inOrder = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, claim]) => claim);
  const taken = new Set((await takeKeys(tx, inOrder)).map(scopeText));
  const responses = await responsesOf(tx, taken.size === inOrder.length ? [] : inOrder);
  return claims.map((claim) => {
    const text = scopeText(claim);
    if (taken.has(text) && firsts.get(text) === claim) return null;
    return responses.get(text) ?? new RequestInProgress(`no response yet: ${claim.operation}`);
  });
}

/** The stored response of this request, or of another one with its key; null when there is none. */
export async function findResponse(db: Db, { now, ...scope }: IdempotencyClaim): Promise<CompletedRequest | null> {
  const { rows } = await sql<CompletedRequest>`
    select fingerprint, status, body from idempotency_keys
    where status is not null and expires_at > ${now} and ${among([scope])}
  `.execute(db);
  return rows[0] ?? null;
}

/** Stores the responses of claimed keys; they become visible together with the changes. */
export async function recordResponses(
  tx: Transaction,
  responses: readonly (IdempotencyScope & Pick<CompletedRequest, 'status' | 'body'>)[],
): Promise<void> {
  if (responses.length === 0) return;
  await sql`
    update idempotency_keys set status = response.status, body = response.body
    from unnest(${callersOf(responses)}::text[], ${operationsOf(responses)}::text[], ${keysOf(responses)}::text[],
      ${responses.map(({ status }) => status)}::int[], ${responses.map(({ body }) => body)}::text[]
    ) as response (caller, operation, key, status, body)
    where idempotency_keys.api_key_id = response.caller and idempotency_keys.operation = response.operation
      and idempotency_keys.key = response.key
  `.execute(tx);
}

/** Releases claimed keys whose requests were refused. */
export async function releaseIdempotencyKeys(tx: Transaction, scopes: readonly IdempotencyScope[]): Promise<void> {
  if (scopes.length === 0) return;
  await sql`delete from idempotency_keys where ${among(scopes)}`.execute(tx);
}

/** Deletes expired responses; returns how many. */
export function deleteExpiredResponses(db: Db, now: Date): Promise<number> {
  return deleteOldRows(db, { table: 'idempotency_keys', column: 'expires_at', until: now });
}

async function takeKeys(tx: Transaction, claims: readonly IdempotencyClaim[]): Promise<IdempotencyScope[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<IdempotencyScope>`
    insert into idempotency_keys (api_key_id, operation, key, fingerprint, expires_at)
    select * from unnest(${callersOf(claims)}::text[], ${operationsOf(claims)}::text[], ${keysOf(claims)}::text[],
      ${claims.map(({ fingerprint }) => fingerprint)}::bytea[], ${claims.map(({ expiresAt }) => expiresAt)}::timestamptz[])
    on conflict (api_key_id, operation, key) do update
      set fingerprint = excluded.fingerprint, status = null, body = null, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= ${claims[0]?.now}
    returning api_key_id as caller, operation, key
  `.execute(tx);
  return rows;
}

async function responsesOf(
  tx: Transaction,
  scopes: readonly IdempotencyScope[],
): Promise<ReadonlyMap<string, CompletedRequest>> {
  if (scopes.length === 0) return new Map();
  const { rows } = await sql<IdempotencyScope & CompletedRequest>`
    select api_key_id as caller, operation, key, fingerprint, status, body from idempotency_keys
    where status is not null and ${among(scopes)}
  `.execute(tx);
  return new Map(rows.map((row) => [scopeText(row), row]));
}

const callersOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ caller }) => caller);
const operationsOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ operation }) => operation);
const keysOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ key }) => key);

function among(scopes: readonly IdempotencyScope[]) {
  return sql<boolean>`(api_key_id, operation, key) in (select * from
    unnest(${callersOf(scopes)}::text[], ${operationsOf(scopes)}::text[], ${keysOf(scopes)}::text[]))`;
}

/** Identifies a scope: no part contains a line break. */
export function scopeText({ caller, operation, key }: IdempotencyScope): string {
  return [caller, operation, key].join('\n');
}
