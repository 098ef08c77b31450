import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** The public part of the platform's keys. The worker, which alone holds the keys, writes it (design D19). */
export interface Platform {
  readonly network: string;
  readonly operatorAddress: string;
  readonly operatorKeyHash: string;
}

export async function publishPlatform(db: Db, platform: Platform): Promise<void> {
  const row = {
    network: platform.network,
    operator_address: platform.operatorAddress,
    operator_key_hash: platform.operatorKeyHash,
  };
  const stored = await db
    .insertInto('platform')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('network')
    .executeTakeFirst();
  if (stored) return;
  const known = await findPlatform(db);
  if (known?.operatorKeyHash !== platform.operatorKeyHash || known.network !== platform.network) {
    throw new Error('this database was written by another operator key or network');
  }
}

/** Returns null until a worker has run once. */
export async function findPlatform(db: Db | Transaction): Promise<Platform | null> {
  const row = await db.selectFrom('platform').selectAll().executeTakeFirst();
  return row
    ? { network: row.network, operatorAddress: row.operator_address, operatorKeyHash: row.operator_key_hash }
    : null;
}

/** Records that a worker takes tasks now. By the clock of Postgres, so that every process means the same. */
export async function recordWorkerPresence(db: Db): Promise<void> {
  await db
    .updateTable('platform')
    .set({ worker_seen_at: sql<Date>`now()` })
    .execute();
}

/** Whether a worker recorded its presence in the last `seconds`. */
export async function isWorkerPresent(db: Db, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('platform')
    .select(sql<boolean>`worker_seen_at > now() - make_interval(secs => ${seconds})`.as('present'))
    .executeTakeFirst();
  return row?.present === true;
}
