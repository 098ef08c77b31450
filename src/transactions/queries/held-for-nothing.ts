import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { isUnrecorded } from './unrecorded-landings.ts';

/** The vaults that are held as quarantined although nothing of theirs is in quarantine or unrecorded. */
export async function heldForNothing(db: Db | Transaction): Promise<string[]> {
  const { rows } = await sql<{ vaultId: string }>`select vault_id as "vaultId" from holds where reason = 'quarantined'
    and not exists (select from quarantine join chain_transactions t on t.id = transaction_id where t.vault_id = holds.vault_id)
    and not exists (select from chain_transactions t where t.vault_id = holds.vault_id and ${isUnrecorded})`.execute(
    db,
  );
  return rows.map(({ vaultId }) => vaultId);
}
