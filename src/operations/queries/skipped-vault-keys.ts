import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/**
 * Leaves out the keys that no vault has, but the last, after which the worker publishes more: vaults that a restored backup does not have
 * may have them on the ledger. Returns how many.
 */
export async function skipFreeVaultKeys(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from vault_keys where vault_id is null and key_index < (select max(key_index) from vault_keys)`.execute(db);
  return Number(numAffectedRows);
}
