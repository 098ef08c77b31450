import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type DepositPages, PAGE, type Place, START } from './deposit-pages.ts';
import { depositColumns, type DepositRow, isInLiveTransaction } from '../../assets/queries/vault-deposits.ts';

/**
 * The deposits that the settlement of a vault has still to pay for, investments first. While there are many, a page reads only
 * investments that are in the vault; what is left after the last full page is compared with the whole plan. One of these that is not in the
 * vault cannot be read.
 */
export async function* depositsToPay(db: Db, vaultId: string): DepositPages {
  const yielded = new Set<string>();
  let after = START;
  for (;;) {
    const rows = await investmentsToPay(db, vaultId, after);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    for (const row of rows) yielded.add(row.deposit_id);
    yield rows;
    after = last;
  }
  for await (const page of unpaidPages(db, vaultId)) {
    const deposits = page.filter(({ deposit_id: id }) => !yielded.has(id));
    if (deposits.length > 0) yield deposits;
  }
}

async function investmentsToPay(db: Db, vaultId: string, after: Place): Promise<(DepositRow & Place)[]> {
  const { rows } = await sql<DepositRow & Place>`
    select ${depositColumns.investment}, created_at::text as at from investments
    where vault_id = ${vaultId} and status = 'CONFIRMED'
      and (created_at, id) > (${after.at}::timestamptz, ${after.deposit_id}::uuid)
      and exists (select from entitlements e where e.vault_id = investments.vault_id and e.deposit_id = investments.id offset 0)
      and not ${isInLiveTransaction('investment', 'deliver')}
    order by created_at, id limit ${PAGE}`.execute(db);
  return rows;
}

interface UnpaidRow extends DepositRow {
  readonly position: number;
}

/** What a plan promises and no live delivery pays, without what owners have reclaimed; in the order of payment. */
async function* unpaidPages(db: Db, vaultId: string): AsyncGenerator<UnpaidRow[]> {
  let after = -1;
  for (;;) {
    const { rows } = await sql<UnpaidRow>`
      with unpaid as materialized (${unpaid(vaultId)} and position > ${after} order by position limit ${PAGE})
      select ${depositColumns.investment}, position, status = 'CONFIRMED' as is_in_vault
        from unpaid join investments on id = deposit_id
      union all
      select ${depositColumns.asset}, position, status = 'LOCKED' as is_in_vault
        from unpaid join assets on id = deposit_id
      order by position`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.position ?? after;
  }
}

/** Whether a plan promises something that no live delivery pays and that its owner has not reclaimed. */
export async function isAnyUnpaid(db: Db | Transaction, vaultId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (${unpaid(vaultId)}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

function unpaid(vaultId: string) {
  return sql`
    select deposit_id, position from entitlements e where vault_id = ${vaultId}
      and not exists (select from transaction_deposits spent join chain_transactions t on t.id = spent.transaction_id
        where spent.deposit_id = e.deposit_id and t.kind = 'deliver' and t.state not in ('expired', 'failed'))
      and not exists (select from investments where id = e.deposit_id and release_reason = 'reclaimed')
      and not exists (select from assets where id = e.deposit_id and release_reason = 'reclaimed')`;
}
