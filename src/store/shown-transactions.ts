import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Rows of one statement: it holds up who writes them for a moment only. */
const PORTION = 2_000;

/** Fills in `shown` of transactions that are older than the column, a portion of them; returns how many. */
export async function fillShown(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update chain_transactions set shown = vault_id is null or (select type from vaults where vaults.id = vault_id) <> 'PRIVATE'
    where id = any(array(select id from chain_transactions where shown is null order by created_at, id limit ${PORTION}
      for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}
