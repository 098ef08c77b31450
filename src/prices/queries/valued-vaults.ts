import { type RawBuilder, type Selectable, sql } from 'kysely';
import { unitOf } from '../../assets/rules/asset.ts';
import type { Price } from '../rules/valuation.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { basisPoints, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import { type Asset, readAsset } from '../../assets/queries/assets.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { lastPriceColumns, type LastPriceRow, readLastPrice } from './last-prices.ts';
import type { AssetsTable } from '../../platform/database/tables/assets.ts';
import type { VaultsTable } from '../../platform/database/tables/vaults.ts';
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

interface VaultRow extends Pick<
  Selectable<VaultsTable>,
  'valuation_type' | 'floor_price_percentage' | 'max_share' | 'ft_percentage'
> {
  readonly settled_at: Date | null;
  readonly planned_value: string | null;
  readonly planned_at: Date | null;
}

/** A vault without LOCKED assets has one row, without an asset. */
type ValuedRow = VaultRow & ((Selectable<AssetsTable> & LastPriceRow) | { readonly id: null });

/** A vault that the reader may see, with what its value depends on, in one statement; null for one that is deleted or hidden. */
export async function findValuedVault(
  db: Db | Transaction,
  vaultId: string,
  scope: ReaderScope,
): Promise<ValuedVault | null> {
  return (await findValuedRow(db, vaultId, scope, sql`id as valued_id`))?.vault ?? null;
}

/** As `findValuedVault`, and its row with `columns` of the vault, whose names no column of an asset has. */
export async function findValuedRow<Columns>(
  db: Db | Transaction,
  vaultId: string,
  scope: ReaderScope,
  columns: RawBuilder<Columns>,
): Promise<{ vault: ValuedVault; row: Columns } | null> {
  const ofPlan = (column: string) => sql`(select ${sql.raw(column)} from settlements where vault_id = vaults.id)`;
  const lastPrice = sql.raw(lastPriceColumns.join(', '));
  const { rows } = await sql<Columns & ValuedRow>`select ${prepared} vault.*, assets.*, ${lastPrice}
    from (select valuation_type, floor_price_percentage, max_share, ft_percentage, locked_at as settled_at, ${columns},
        ${ofPlan("distribution->>'value'")} as planned_value, ${ofPlan('planned_at')} as planned_at
      from vaults where id = ${vaultId} and deleted_at is null and ${visibleTo(scope)}) as vault
    left join assets on assets.vault_id = ${vaultId} and assets.status = 'LOCKED'
    left join prices as latest on latest.policy_id = assets.policy_id and latest.asset_name = assets.asset_name
    order by assets.added_at, assets.id`.execute(db);
  const [row] = rows;
  return row ? { vault: valued(row, rows), row } : null;
}

function valued(vault: VaultRow, rows: readonly ValuedRow[]): ValuedVault {
  const found = rows.filter((row) => row.id !== null);
  const priced = found.map((row) => ({ asset: readAsset(row), price: readLastPrice(row) }));
  return {
    terms: {
      valuationType: vault.valuation_type,
      floorPricePercentage: basisPoints(BigInt(vault.floor_price_percentage)),
      maxShare: basisPoints(BigInt(vault.max_share)),
      ftPercentage: basisPoints(BigInt(vault.ft_percentage)),
    },
    lockedAt: vault.settled_at && instant(vault.settled_at),
    locked: priced.map(({ asset }) => asset),
    prices: new Map(priced.flatMap(({ asset, price }) => (price === null ? [] : [[unitOf(asset), price]]))),
    settled:
      vault.planned_value === null || vault.planned_at === null
        ? null
        : { total: lovelace(BigInt(vault.planned_value)), at: instant(vault.planned_at) },
  };
}
