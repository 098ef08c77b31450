import type { OwedDelivery } from '../domain/settlement/owed-delivery.ts';
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
