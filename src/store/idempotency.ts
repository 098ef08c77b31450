import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** What makes two requests the same one: who asks, for which operation, under which key. */
export interface IdempotencyScope {
  /** The API key, and the wallet that is logged in beside it. */
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

interface Claim {
  readonly fingerprint: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** A twin of the request claimed the key in this very transaction and has not answered yet: ask again in a later one. */
export class AnswerUnderWay extends Error {
  override readonly name = 'AnswerUnderWay';
}

/**
 * Takes the key for this transaction and returns null, or returns the answer it already led to. A twin waits here until
 * the first transaction ends. An expired record is taken over.
 */
export async function claimIdempotencyKey(
  tx: Transaction,
  scope: IdempotencyScope,
  claim: Claim,
): Promise<AnsweredRequest | null> {
  const { fingerprint, now, expiresAt } = claim;
  const fresh = { fingerprint, status: null, body: null, expires_at: expiresAt };
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({ ...columns(scope), ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['api_key_id', 'operation', 'key'])
        .doUpdateSet(fresh)
        .where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('key')
    .executeTakeFirst();
  return claimed ? null : await findAnswer(tx, scope);
}

/** Stores the answer that the claimed key led to; it becomes visible with the change itself. */
export async function recordAnswer(
  tx: Transaction,
  scope: IdempotencyScope,
  answer: { status: number; body: string | null },
): Promise<void> {
  await tx.updateTable('idempotency_keys').set(answer).where(whose(scope)).executeTakeFirstOrThrow();
}

/** Forgets the answers whose time is over; returns how many. */
export async function deleteExpiredAnswers(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function findAnswer(tx: Transaction, scope: IdempotencyScope): Promise<AnsweredRequest> {
  const { fingerprint, status, body } = await tx
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body'])
    .where(whose(scope))
    .executeTakeFirstOrThrow();
  if (status === null) throw new AnswerUnderWay(`no answer yet: ${scope.operation}`);
  return { fingerprint, status, body };
}

const columns = ({ caller, operation, key }: IdempotencyScope) => ({ api_key_id: caller, operation, key });

function whose({ caller, operation, key }: IdempotencyScope) {
  return sql<boolean>`(api_key_id, operation, key) = (${caller}, ${operation}, ${key})`;
}
