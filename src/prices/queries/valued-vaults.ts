import { sql } from 'kysely';
import { unitOf } from '../../assets/rules/asset.ts';
import type { Price } from '../rules/valuation.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { basisPoints, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import { type Asset, readAsset } from '../../assets/queries/assets.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { lastPriceColumns, readLastPrice } from './last-prices.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/visible-vaults.ts';

/** What the settlement of a vault counted, beside the present valuation (design D48). */
export interface SettledValuation {
  readonly total: Lovelace;
  readonly at: Instant;
}

/** What the value of a vault depends on. */
export interface ValuedVault {
  readonly terms: Pick<VaultTerms, 'valuationType' | 'floorPricePercentage' | 'maxShare' | 'ftPercentage'>;
  /** Null until it is settled. */
  readonly lockedAt: Instant | null;
  /** Its LOCKED assets, oldest first. */
  readonly locked: readonly Asset[];
  /** The last known prices of the market of those, by policy id followed by asset name. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Null until the settlement is planned. */
  readonly settled: SettledValuation | null;
}

/** What the value of a vault that the reader may see depends on; null for a vault that is deleted or hidden. */
export async function findValuedVault(
  db: Db | Transaction,
  vaultId: string,
  scope: ReaderScope,
): Promise<ValuedVault | null> {
  const vault = await db
    .selectFrom('vaults')
    .modifyFront(prepared)
    .leftJoin('settlements', 'settlements.vault_id', 'vaults.id')
    .select(['valuation_type', 'floor_price_percentage', 'max_share', 'ft_percentage', 'locked_at', 'planned_at'])
    .select(sql<string | null>`distribution->>'value'`.as('planned_value'))
    .where('vaults.id', '=', vaultId)
    .where('deleted_at', 'is', null)
    .where(visibleTo(scope))
    .executeTakeFirst();
  if (!vault) return null;
  const assets = await lockedAssetsWithPrices(db, vaultId);
  return {
    terms: {
      valuationType: vault.valuation_type,
      floorPricePercentage: basisPoints(BigInt(vault.floor_price_percentage)),
      maxShare: basisPoints(BigInt(vault.max_share)),
      ftPercentage: basisPoints(BigInt(vault.ft_percentage)),
    },
    lockedAt: vault.locked_at && instant(vault.locked_at),
    locked: assets.map(({ asset }) => asset),
    prices: new Map(assets.flatMap(({ asset, price }) => (price === null ? [] : [[unitOf(asset), price]]))),
    settled:
      vault.planned_value === null || vault.planned_at === null
        ? null
        : { total: lovelace(BigInt(vault.planned_value)), at: instant(vault.planned_at) },
  };
}

/** The LOCKED assets of a vault, oldest first, each with the last known price of its class. */
async function lockedAssetsWithPrices(db: Db | Transaction, vaultId: string) {
  const rows = await db
    .selectFrom('assets')
    .modifyFront(prepared)
    .leftJoin('prices as latest', (join) =>
      join.onRef('latest.policy_id', '=', 'assets.policy_id').onRef('latest.asset_name', '=', 'assets.asset_name'),
    )
    .selectAll('assets')
    .select(lastPriceColumns)
    .where('assets.vault_id', '=', vaultId)
    .where('assets.status', '=', 'LOCKED')
    .orderBy('assets.added_at')
    .orderBy('assets.id')
    .execute();
  return rows.map((row) => ({ asset: readAsset(row), price: readLastPrice(row) }));
}
