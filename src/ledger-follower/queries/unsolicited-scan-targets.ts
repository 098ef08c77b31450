import { sql } from 'kysely';
import { type Instant, secondsAfter } from '../../platform/units/time.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db } from '../../platform/database/database.ts';
import { rowsAfter } from '../../platform/database/page.ts';
import { readVault, type Vault, type VaultRow } from '../../vaults/queries/vaults.ts';
import { isWatched, WATCHED_AFTER_END_SECONDS } from './addresses.ts';

interface VaultRange {
  /** The vaults after this one; null for the first. */
  readonly after: string | null;
  /** And up to this one; null for the last. */
  readonly until?: string | null;
  readonly limit: number;
}

/** The rows of the next vaults, by id, whose addresses are scanned. */
export async function vaultsOnLedger(
  db: Db,
  { after, until = null, limit }: VaultRange,
  now: Instant,
): Promise<VaultRow[]> {
  const inRange = scannedVaults(db, now).$if(until !== null, (query) => query.where('id', '<=', until));
  return rowsAfter(inRange, { columns: ['id'], after: after === null ? null : [after], limit }).execute();
}

/** A vault whose addresses are scanned; null when they are not, or not any more. */
export async function findScannedVault(db: Db, vaultId: string, now: Instant): Promise<Vault | null> {
  const row = await scannedVaults(db, now).where('id', '=', vaultId).executeTakeFirst();
  return row ? readVault(row) : null;
}

function scannedVaults(db: Db, now: Instant) {
  const at = sql`${new Date(now)}::timestamptz`;
  return db.selectFrom('vaults').selectAll().where('status', '<>', 'DRAFT').where(isWatched(at));
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Begins a part of the pass over all vaults, with as many as make the pass end after `parts` such parts; with all when they are wanted. */
export async function beginPass(
  db: Db,
  { parts, atLeast, isWhole }: { readonly parts: number; readonly atLeast: number; readonly isWhole: boolean },
): Promise<string | null> {
  // The planner's estimate: a count would read all vaults.
  const portion = sql`greatest(${atLeast}::int, (select ceil(reltuples / ${parts}::int)::int from pg_class where oid = 'vaults'::regclass))`;
  const { rows } = await sql<{ pass_after: string | null }>`update address_scan set
      pass_after = case when ${isWhole} then null else pass_after end,
      pass_until = case when ${isWhole} then null else (
        select id from vaults where id > coalesce(pass_after, ${BEFORE_ALL}::uuid) order by id offset ${portion} - 1 limit 1) end
    returning pass_after`.execute(db);
  return rows[0]?.pass_after ?? null;
}

/** The last vault of the present part; null for the last of all. */
export async function endOfPass(db: Db): Promise<string | null> {
  const { pass_until: until } = await db.selectFrom('address_scan').select('pass_until').executeTakeFirstOrThrow();
  return until;
}

/** Records that the vaults of the present part were scanned. */
export async function endPass(db: Db): Promise<void> {
  await sql`update address_scan set pass_after = pass_until, pass_until = null`.execute(db);
}

export async function vaultRows(db: Db, ids: readonly string[]): Promise<VaultRow[]> {
  return db.selectFrom('vaults').selectAll().where('id', '=', anyOf(ids)).execute();
}

/**
 * The wallets that contributed or invested in a vault, or started to, and the addresses of its stakes. Each stake has its own address:
 * those returned long ago are left out, unless an unsolicited output is there.
 */
export async function vaultParticipants(
  db: Db,
  vaultId: string,
  now: Instant,
): Promise<{ depositors: readonly string[]; stakeAddresses: readonly string[] }> {
  const recently = new Date(secondsAfter(now, -WATCHED_AFTER_END_SECONDS));
  const [depositors, stakes] = await Promise.all([
    db
      .selectFrom('assets')
      .select('added_by as wallet')
      .where('vault_id', '=', vaultId)
      .union(db.selectFrom('investments').select('wallet').where('vault_id', '=', vaultId))
      .orderBy('wallet')
      .execute(),
    db
      .selectFrom('stakes')
      .select('script_address as address')
      .where('vault_id', '=', vaultId)
      .where((eb) => eb.or([eb('status', '<>', 'RELEASED'), eb('updated_at', '>', recently)]))
      .union(
        db
          .selectFrom('unsolicited_outputs')
          .select('address')
          .where('vault_id', '=', vaultId)
          .where('place', '=', 'stake')
          .where((eb) => eb.or([eb('gone_at', 'is', null), eb('gone_at', '>', recently)])),
      )
      .orderBy('address')
      .execute(),
  ]);
  return {
    depositors: depositors.map(({ wallet }) => wallet),
    stakeAddresses: stakes.map(({ address }) => address),
  };
}
