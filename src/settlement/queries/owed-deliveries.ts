import { sql } from 'kysely';
import type { OwedDelivery, PlannedShare } from '../rules/owed-delivery.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import type { Db } from '../../platform/database/database.ts';
import { linkedDeposit } from '../../transactions/queries/transaction-deposits.ts';

/** What the plan of its vault owes for the deposits that a delivery spends. */
export async function owedDeliveries(db: Db, transactionId: string): Promise<OwedDelivery[]> {
  // Each deposit is looked up by itself: joins may read those of the whole vault for each of its deliveries.
  const { rows } = await sql<OwedRow>`
    select maker.hash, deposit.deposit_index, owed.ft, owed.lovelace, deposit.owner, deposit.invested
    from transaction_deposits link
    join chain_transactions delivery on delivery.id = link.transaction_id
    cross join lateral (
      select ft, coalesce(revised_lovelace, lovelace) as lovelace from entitlements
      where vault_id = delivery.vault_id and deposit_id = link.deposit_id and deposit_kind = link.deposit_kind offset 0) owed
    cross join lateral ${linkedDeposit} deposit
    join chain_transactions maker on maker.id = deposit.maker_id
    where link.transaction_id = ${transactionId}`.execute(db);
  return rows.map(readOwed);
}

interface OwedRow {
  readonly hash: string;
  readonly deposit_index: number;
  readonly owner: string;
  readonly invested: string;
  readonly ft: string;
  readonly lovelace: string;
}

interface ShareRow extends OwedRow {
  readonly value: string;
  readonly unit: string | null;
  readonly quantity: string | null;
}

/** What the plan of a vault gives for each deposit, without what a revision changed. */
export async function plannedShares(db: Db, vaultId: string): Promise<PlannedShare[]> {
  const { rows } = await sql<ShareRow>`
    select maker.hash, coalesce(assets.deposit_index, 0) as deposit_index, owed.ft, owed.lovelace,
      coalesce(assets.added_by, investments.wallet) as owner, coalesce(investments.lovelace, 0) as invested,
      coalesce(assets.counted_value, 0) as value, assets.policy_id || assets.asset_name as unit, assets.quantity
    from entitlements owed
    left join assets on owed.deposit_kind = 'asset' and assets.id = owed.deposit_id
    left join investments on owed.deposit_kind = 'investment' and investments.id = owed.deposit_id
    join chain_transactions maker on maker.id = coalesce(assets.add_transaction_id, investments.transaction_id)
    where owed.vault_id = ${vaultId}`.execute(db);
  return rows.map((row) => ({
    ...readOwed(row),
    value: lovelace(BigInt(row.value)),
    contributed: new Map(row.unit === null ? [] : [[row.unit, BigInt(row.quantity ?? 0)]]),
  }));
}

function readOwed(row: OwedRow): OwedDelivery {
  return {
    deposit: { txHash: row.hash, index: row.deposit_index },
    owner: row.owner,
    invested: lovelace(BigInt(row.invested)),
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
  };
}
