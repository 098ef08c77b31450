import { sql } from 'kysely';
import type { ReturnedDeposit } from '../rules/counted-deposits.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { DepositRef } from '../../transactions/queries/transaction-deposits.ts';

/** Records which deposits a settlement returns, and why (design D41). */
export async function setReturnReasons(
  { tx }: TransactionContext,
  returned: readonly ReturnedDeposit[],
): Promise<void> {
  for (const [kind, table] of [['investment', 'investments'] as const, ['asset', 'assets'] as const]) {
    const deposits = returned.filter(({ depositKind }) => depositKind === kind);
    if (deposits.length === 0) continue;
    await sql`
      update ${sql.table(table)} set return_reason = returned.reason
      from unnest(${deposits.map(({ id }) => id)}::uuid[], ${deposits.map(({ reason }) => reason)}::text[])
        as returned(id, reason)
      where ${sql.table(table)}.id = returned.id`.execute(tx);
  }
}

/** Records by which transaction its owner took a deposit back alone; it counts while the deposit is released as reclaimed. */
export async function setReclaimHash(
  tx: Transaction,
  { depositId, depositKind }: DepositRef,
  hash: string,
): Promise<void> {
  const table = depositKind === 'investment' ? 'investments' : 'assets';
  await sql`update ${sql.table(table)} set reclaim_hash = ${hash} where id = ${depositId}`.execute(tx);
}

/** Whether a deposit that the settlement of a vault returns is in the vault and in no transaction that may still return it. */
export async function hasUnreturnedDeposit(tx: Transaction, vaultId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (
        select id from investments where vault_id = ${vaultId} and status = 'CONFIRMED' and return_reason is not null
        union all
        select id from assets where vault_id = ${vaultId} and status = 'LOCKED' and return_reason is not null
      ) as returned
      where not exists (
        select from transaction_deposits d join chain_transactions t on t.id = d.transaction_id
        where d.deposit_id = returned.id and t.kind = 'refund' and t.state not in ('expired', 'failed')
      )
    ) as found`.execute(tx);
  return rows[0]?.found ?? false;
}

/** Whether the ledger holds a deposit of a vault at its deposit addresses or in its custody. */
export async function holdsDeposit(db: Db | Transaction, vaultId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from assets where vault_id = ${vaultId} and status = 'LOCKED')
      or exists (select from investments where vault_id = ${vaultId} and status = 'CONFIRMED') as found`.execute(db);
  return rows[0]?.found ?? false;
}
