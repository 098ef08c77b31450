import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** What identifies a repeated request: its caller, its operation and its key. */
export interface IdempotencyScope {
  /** The API key, and the wallet that is logged in with it. */
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
}

export interface AnsweredRequest {
  readonly fingerprint: Buffer;
  readonly status: number;
  /** The exact JSON text that was sent; null for an empty body. */
  readonly body: string | null;
}

/** A key that a request claims, for as long as its answer is stored. */
export interface IdempotencyClaim extends IdempotencyScope {
  readonly fingerprint: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** The same request claimed the key in this transaction and has no answer yet: try again in a later transaction. */
export class AnswerInProgress extends Error {
  override readonly name = 'AnswerInProgress';
}

/**
 * Claims keys for this transaction, in one order for all transactions. Returns for each claim, in the order given: null when it is
 * claimed now, or the stored answer. The same request waits here until the first transaction ends. An expired record is replaced.
 */
export async function claimIdempotencyKeys(
  tx: Transaction,
  claims: readonly IdempotencyClaim[],
): Promise<(AnsweredRequest | AnswerInProgress | null)[]> {
  const firsts = new Map(claims.toReversed().map((claim) => [textOf(claim), claim]));
  const inOrder = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, claim]) => claim);
  const taken = new Set((await takeKeys(tx, inOrder)).map(textOf));
  const answers = await answersOf(tx, taken.size === inOrder.length ? [] : inOrder);
  return claims.map((claim) => {
    const text = textOf(claim);
    if (taken.has(text) && firsts.get(text) === claim) return null;
    return answers.get(text) ?? new AnswerInProgress(`no answer yet: ${claim.operation}`);
  });
}

/** Stores the answers of claimed keys; they become visible together with the changes. */
export async function recordAnswers(
  tx: Transaction,
  answers: readonly (IdempotencyScope & Pick<AnsweredRequest, 'status' | 'body'>)[],
): Promise<void> {
  if (answers.length === 0) return;
  await sql`
    update idempotency_keys set status = answer.status, body = answer.body
    from unnest(${callersOf(answers)}::text[], ${operationsOf(answers)}::text[], ${keysOf(answers)}::text[],
      ${answers.map(({ status }) => status)}::int[], ${answers.map(({ body }) => body)}::text[]
    ) as answer (caller, operation, key, status, body)
    where idempotency_keys.api_key_id = answer.caller and idempotency_keys.operation = answer.operation
      and idempotency_keys.key = answer.key
  `.execute(tx);
}

/** Releases claimed keys whose requests were refused. */
export async function releaseIdempotencyKeys(tx: Transaction, scopes: readonly IdempotencyScope[]): Promise<void> {
  if (scopes.length === 0) return;
  await sql`delete from idempotency_keys where ${among(scopes)}`.execute(tx);
}

/** Deletes expired answers; returns how many. */
export async function deleteExpiredAnswers(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
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

async function answersOf(
  tx: Transaction,
  scopes: readonly IdempotencyScope[],
): Promise<ReadonlyMap<string, AnsweredRequest>> {
  if (scopes.length === 0) return new Map();
  const { rows } = await sql<IdempotencyScope & AnsweredRequest>`
    select api_key_id as caller, operation, key, fingerprint, status, body from idempotency_keys
    where status is not null and ${among(scopes)}
  `.execute(tx);
  return new Map(rows.map((row) => [textOf(row), row]));
}

const callersOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ caller }) => caller);
const operationsOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ operation }) => operation);
const keysOf = (scopes: readonly IdempotencyScope[]) => scopes.map(({ key }) => key);

function among(scopes: readonly IdempotencyScope[]) {
  return sql<boolean>`(api_key_id, operation, key) in (select * from
    unnest(${callersOf(scopes)}::text[], ${operationsOf(scopes)}::text[], ${keysOf(scopes)}::text[]))`;
}

/** No part contains a line break. */
function textOf({ caller, operation, key }: IdempotencyScope): string {
  return [caller, operation, key].join('\n');
}
