import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';

/** How far the reclaimed deposits of a vault were checked against the ledger. */
export interface ReclaimCheck {
  /** The deposit after which the check goes on; null when all were checked and no rollback has come since. */
  readonly after: string | null;
  /** The followed block that the check is about. */
  readonly block: { readonly height: number; readonly hash: string };
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The check that is under way or complete; a new one when a rollback has undone the block of the last. Null before the first followed block. */
export async function readReclaimCheck(db: Db, vaultId: string): Promise<ReclaimCheck | null> {
  const { rows } = await sql<{ height: string; hash: string; after: string | null; is_valid: boolean }>`
    select tip.height, tip.hash, done.after, done.vault_id is not null as is_valid
    from (select height, hash from blocks order by height desc limit 1) tip
    left join reclaim_checks done on done.vault_id = ${vaultId}
      and exists (select from blocks where height = block_height and hash = block_hash)`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const block = { height: Number(row.height), hash: row.hash };
  return { after: row.is_valid ? row.after : BEFORE_ALL, block };
}

/** Saves how far a check is, unless its block is no longer on the ledger. */
export async function saveReclaimCheck(
  tx: Transaction,
  vaultId: string,
  { after, block }: ReclaimCheck,
): Promise<void> {
  await sql`insert into reclaim_checks (vault_id, block_height, block_hash, after)
    select ${vaultId}, height, hash, ${after}::uuid from blocks where height = ${block.height} and hash = ${block.hash}
    on conflict (vault_id) do update set block_height = excluded.block_height, block_hash = excluded.block_hash,
      after = excluded.after`.execute(tx);
}

/**
 * Lets a check stand for deposits that are recorded as reclaimed now, as they were found after the follower had `seen` a block. After
 * a rollback since then, the check begins again.
 */
export async function extendReclaimCheck(tx: Transaction, vaultId: string, seen: ReclaimCheck['block']): Promise<void> {
  const isFollowed = sql`exists (select from blocks where height = ${seen.height} and hash = ${seen.hash})`;
  const isValid = sql`exists (select from blocks where height = block_height and hash = block_hash)`;
  await sql`delete from reclaim_checks where vault_id = ${vaultId} and not (${isValid} and ${isFollowed})`.execute(tx);
  await sql`update reclaim_checks set block_height = ${seen.height}, block_hash = ${seen.hash}
    where vault_id = ${vaultId} and block_height < ${seen.height}`.execute(tx);
}
