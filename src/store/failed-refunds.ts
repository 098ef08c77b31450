import { sql } from 'kysely';
import type { Db } from './database.ts';

/** How many refunds of each deposit of a vault have failed, or expired after the ledger had refused them; those of none are left out. */
export async function failedRefunds(db: Db, vaultId: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ depositId: string; times: number }>`
    select deposit_id as "depositId", count(*)::int as times
      from chain_transactions t join transaction_deposits d on d.transaction_id = t.id
      where t.vault_id = ${vaultId} and t.kind = 'refund'
        and (t.state = 'failed' or (t.state = 'expired' and t.refusal is not null))
      group by deposit_id`.execute(db);
  return new Map(rows.map(({ depositId, times }) => [depositId, times]));
}
