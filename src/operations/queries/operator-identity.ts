import type { Db, Transaction } from '../../platform/database/database.ts';

/** The public part of the platform's keys. The worker, which alone holds the keys, writes it (design D19). */
export interface Platform {
  readonly network: string;
  readonly operatorAddress: string;
  readonly operatorKeyHash: string;
  /** Blocks after which a transaction is final on this network. */
  readonly confirmationDepth: number;
}

export async function publishPlatform(db: Db, platform: Platform): Promise<void> {
  const row = {
    network: platform.network,
    operator_address: platform.operatorAddress,
    operator_key_hash: platform.operatorKeyHash,
    confirmation_depth: platform.confirmationDepth,
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
  // The follower locks this row for each block: a start need not wait for it.
  if (known.confirmationDepth !== platform.confirmationDepth)
    await db.updateTable('platform').set({ confirmation_depth: platform.confirmationDepth }).execute();
}

/** Returns null until a worker has run once. */
export async function findPlatform(db: Db | Transaction): Promise<Platform | null> {
  const row = await db.selectFrom('platform').selectAll().executeTakeFirst();
  if (!row) return null;
  const { network, operator_address: operatorAddress, operator_key_hash: operatorKeyHash } = row;
  return { network, operatorAddress, operatorKeyHash, confirmationDepth: row.confirmation_depth };
}
