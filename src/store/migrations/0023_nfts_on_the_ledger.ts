import { type Kysely, sql } from 'kysely';

/**
 * An NFT is in one vault. Attempts to add it that are not on the ledger exclude nothing: a rollback may bring back an earlier
 * deposit beside them, and the ledger decides which one lands (design D42).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index one_vault_per_nft`.execute(db);
  await sql`create unique index one_vault_per_nft on assets (policy_id, asset_name)
    where type = 'NFT' and status = 'LOCKED'`.execute(db);
  await sql`create index nfts_on_their_way on assets (policy_id, asset_name)
    where type = 'NFT' and status = 'PENDING'`.execute(db);
}
