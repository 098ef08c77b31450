import { sql } from 'kysely';
import { type Instant, secondsAfter } from '../domain/units/instant.ts';
import type { Db } from './database.ts';
import { rowsAfter } from './page.ts';
import { readVault, type Vault } from './vaults.ts';
import { isWatched, WATCHED_AFTER_END_SECONDS } from './watched-vaults.ts';

/** The next vaults, by id, whose addresses are scanned. */
export async function vaultsOnLedger(db: Db, after: string | null, limit: number, now: Instant): Promise<Vault[]> {
  const onLedger = db
    .selectFrom('vaults')
    .selectAll()
    .where('status', '<>', 'DRAFT')
    .where(isWatched(sql`${new Date(now)}::timestamptz`));
  const next = rowsAfter(onLedger, { columns: ['id'], after: after === null ? null : [after], limit });
  return (await next.execute()).map(readVault);
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
