import { sql, type RawBuilder } from 'kysely';
import { bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionKind } from '../../transactions/rules.ts';
import type { VaultAddress } from '../../vaults/rules/vault.ts';

interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

export interface WatchedAddress extends VaultAddress {
  readonly vaultId: string;
}

/** A transaction that may bring a vault an address. */
export interface AddressSource {
  readonly kind: TransactionKind;
  readonly vaultId: string;
  readonly wallet: string | null;
  /** Where its outputs lie. */
  readonly addresses: readonly string[];
  readonly createdAt: Date;
}

/** The oldest transactions of each kind whose addresses may not be watched yet, at most `limit` of a kind. */
export async function nextAddressSources(
  db: Db,
  kinds: readonly TransactionKind[],
  limit: number,
): Promise<AddressSource[]> {
  // A path asks for no form, so outputs that were damaged have no address.
  const { rows } = await sql<AddressSource>`
    select found.* from address_scan, unnest(${kinds}::text[]) as wanted (kind) cross join lateral (
      select kind, vault_id as "vaultId", wallet, created_at as "createdAt",
        array(select jsonb_path_query(outputs, '$[*].address ? (@.type() == "string")') #>> '{}') as addresses
      from chain_transactions
      where kind = wanted.kind and vault_id is not null and created_at > coalesce(watched_until, '-infinity')
      order by created_at, id limit ${limit}) as found`.execute(db);
  return rows;
}

/** Records that the addresses of all transactions up to a time are watched. */
export async function setWatchedUntil(tx: Transaction, until: Date): Promise<void> {
  await sql`update address_scan set watched_until = greatest(watched_until, ${until})`.execute(tx);
}

/** Lets transactions be read again from a time on where a later one is reached that is still to come: a clock was ahead. */
export async function readAgainFrom(db: Db, from: Date, { ifReached }: { readonly ifReached: Date }): Promise<void> {
  await sql`update address_scan set watched_until = ${from} where watched_until > ${ifReached}`.execute(db);
}

/** Watches addresses from now on; those that are watched already stay as they are. */
export async function watchAddresses(db: Db | Transaction, addresses: readonly WatchedAddress[]): Promise<void> {
  if (addresses.length === 0) return;
  const rows = addresses.map(({ vaultId, kind, ...rest }) => ({ vault_id: vaultId, place: kind, ...rest }));
  await bulkInsert(db, 'watched_addresses', watchedColumns, rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const watchedColumns = { vault_id: 'uuid', place: 'text', address: 'text', depositor: 'text' } as const;

/** The lowest followed block that is final and whose addresses are not read yet; null when there is none. The first time it is the last final one. */
export async function nextUnreadBlock(db: Db, confirmationDepth: number): Promise<BlockRef | null> {
  const { rows } = await sql<{ height: string; hash: string }>`
    with final as (select max(height) - ${confirmationDepth}::int + 1 as height from blocks)
    select height, hash from blocks
    where height > (select coalesce(read_height, final.height - 1) from address_scan, final)
      and height <= (select height from final)
    order by height limit 1`.execute(db);
  const [row] = rows;
  return row ? { height: Number(row.height), hash: row.hash } : null;
}

/** Records that a block has touched these addresses, unless it was rolled back meanwhile. */
export async function recordTouched(tx: Transaction, block: BlockRef, addresses: readonly string[]): Promise<void> {
  await lockScan(tx);
  const { rows } = await sql`update address_scan set read_height = ${block.height}
    where coalesce(read_height, -1) < ${block.height} and ${isFollowed(block)} returning id`.execute(tx);
  if (rows.length === 0) return;
  await sql`update watched_addresses set is_due = true, seen_height = greatest(seen_height, ${block.height})
    where address = any(${addresses})`.execute(tx);
}

/** The next vault on the ledger, by id, of one of whose addresses there is news; null for none. */
export async function nextDueVault(db: Db, after: string | null): Promise<string | null> {
  const { rows } = await sql<{ vault_id: string }>`
    select vault_id from watched_addresses
    where is_due and vault_id > ${after ?? BEFORE_ALL} and (select status from vaults where id = vault_id) <> 'DRAFT'
    order by vault_id limit 1`.execute(db);
  return rows[0]?.vault_id ?? null;
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The next addresses of a vault of which there is news. */
export async function dueAddresses(db: Db, vaultId: string, after: string, limit: number): Promise<VaultAddress[]> {
  const { rows } = await sql<VaultAddress>`select address, place as kind, depositor from watched_addresses
    where is_due and vault_id = ${vaultId} and address > ${after} order by address limit ${limit}`.execute(db);
  return rows;
}

/** Records that the ledger was asked for addresses after the follower had seen a block; nothing when that was rolled back meanwhile. */
export async function recordAsked(tx: Transaction, addresses: readonly string[], seen: BlockRef): Promise<void> {
  await lockScan(tx);
  await sql`update watched_addresses set is_due = false, seen_height = greatest(seen_height, ${seen.height})
    where address = any(${addresses}) and ${isFollowed(seen)}`.execute(tx);
}

/** Asks again for what was seen in blocks above a height, which are no longer on the ledger. */
export async function reopenAddresses(tx: Transaction, height: number): Promise<void> {
  await sql`update address_scan set read_height = least(read_height, ${height}::bigint)`.execute(tx);
  await sql`update watched_addresses set is_due = true where seen_height > ${height} and not is_due`.execute(tx);
}

/** Until the transaction ends no block is rolled back, nor another one read. */
async function lockScan(tx: Transaction): Promise<void> {
  await sql`select from address_scan for update`.execute(tx);
}

function isFollowed({ height, hash }: BlockRef) {
  return sql<boolean>`exists (select from blocks where height = ${height} and hash = ${hash})`;
}

/** How long after its end the addresses of a vault, or of a stake, are still watched: 30 days. */
export const WATCHED_AFTER_END_SECONDS = 30 * 24 * 3600;

/**
 * Whether the ledger is still asked for what lies at the addresses of a row of `vaults`: until 30 days after its end, and after that while
 * somebody can still take something out of it. `at` is a timestamp.
 */
export function isWatched(at: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(vaults.terminated_at is null
    or vaults.terminated_at > ${at} - make_interval(secs => ${WATCHED_AFTER_END_SECONDS})
    or exists (select from stakes s where s.vault_id = vaults.id and s.status <> 'RELEASED')
    or exists (select from assets a where a.vault_id = vaults.id and a.status = 'LOCKED')
    or exists (select from unsolicited_outputs u where u.vault_id = vaults.id and u.gone_at is null)
    or exists (select from terminations t where t.vault_id = vaults.id and t.pot_lovelace > 0 and t.circulating > 0))`;
}
