import { sql } from 'kysely';
import type { ChainTransaction } from './chain-transactions.ts';
import type { Db } from '../../platform/database/database.ts';
import { notLanded } from '../../ledger-follower/queries/followed-transactions.ts';

const isOpen = sql<boolean>`state = any(${notLanded})`;
/** One that has ended since it was marked is not meant. */
const hadEnded = sql<boolean>`(state in ('expired', 'failed') and expiry_failed_at > updated_at)`;

/** Whether it may have to be recorded of a transaction that a block has it. */
export const isUnrecorded = sql<boolean>`((${isOpen} and expiry_failed_at is not null) or ${hadEnded})`;

/**
 * Transactions of which it could not be recorded that a block has them: open ones that a block in `slot` may still have, and those of held
 * vaults that had ended.
 */
export async function unrecordedLandings(
  db: Db,
  slot: number,
  limit: number,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  const { rows } = await sql<Pick<ChainTransaction, 'id' | 'hash'>>`
    select id, hash from (
      select id, hash, expiry_failed_at from chain_transactions
        where ${isOpen} and ttl_slot > ${slot} and expiry_failed_at is not null
      union all
      select id, hash, expiry_failed_at from holds join chain_transactions using (vault_id)
        where reason = 'quarantined' and ${hadEnded}
    ) as unrecorded order by expiry_failed_at limit ${limit}`.execute(db);
  return rows;
}
