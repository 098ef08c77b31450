import { sql } from 'kysely';
import type { OwedDelivery, PlannedShare } from '../domain/settlement/owed-delivery.ts';
import { baseUnits, lovelace } from '../domain/units/money.ts';
import type { Db } from './database.ts';

/** What the plan of its vault owes for the deposits that a delivery spends. */
export async function owedDeliveries(db: Db, transactionId: string): Promise<OwedDelivery[]> {
  const rows = await db
    .selectFrom('transaction_deposits as link')
    .innerJoin('entitlements as owed', (join) =>
      join.onRef('owed.deposit_id', '=', 'link.deposit_id').onRef('owed.deposit_kind', '=', 'link.deposit_kind'),
    )
    .leftJoin('assets', (join) => join.onRef('assets.id', '=', 'link.deposit_id').on('link.deposit_kind', '=', 'asset'))
    .leftJoin('investments', (join) =>
      join.onRef('investments.id', '=', 'link.deposit_id').on('link.deposit_kind', '=', 'investment'),
    )
    .innerJoin('chain_transactions as maker', (join) =>
      join.on('maker.id', '=', (eb) => eb.fn.coalesce('assets.add_transaction_id', 'investments.transaction_id')),
    )
    .select(['maker.hash', 'assets.deposit_index', 'investments.lovelace as invested', 'owed.ft'])
    .select((eb) => [
      eb.fn.coalesce('assets.added_by', 'investments.wallet').as('owner'),
      eb.fn.coalesce('owed.revised_lovelace', 'owed.lovelace').as('share'),
    ])
    .where('link.transaction_id', '=', transactionId)
    .execute();
  return rows.map((row) => ({
    deposit: { txHash: row.hash, index: row.deposit_index ?? 0 },
    owner: row.owner ?? '',
    invested: lovelace(BigInt(row.invested ?? 0)),
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.share)),
  }));
}

interface ShareRow {
  readonly hash: string;
  readonly deposit_index: number;
  readonly owner: string;
  readonly invested: string;
  readonly value: string;
  readonly ft: string;
  readonly lovelace: string;
}

/** What the plan of a vault gives for each deposit, without what a revision changed. */
export async function plannedShares(db: Db, vaultId: string): Promise<PlannedShare[]> {
  const { rows } = await sql<ShareRow>`
    select maker.hash, coalesce(assets.deposit_index, 0) as deposit_index, owed.ft, owed.lovelace,
      coalesce(assets.added_by, investments.wallet) as owner, coalesce(investments.lovelace, 0) as invested,
      coalesce(assets.counted_value, 0) as value
    from entitlements owed
    left join assets on owed.deposit_kind = 'asset' and assets.id = owed.deposit_id
    left join investments on owed.deposit_kind = 'investment' and investments.id = owed.deposit_id
    join chain_transactions maker on maker.id = coalesce(assets.add_transaction_id, investments.transaction_id)
    where owed.vault_id = ${vaultId}`.execute(db);
  return rows.map((row) => ({
    deposit: { txHash: row.hash, index: row.deposit_index },
    owner: row.owner,
    invested: lovelace(BigInt(row.invested)),
    value: lovelace(BigInt(row.value)),
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
  }));
}
