import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/**
 * How many deliveries of each deposit of a vault the platform has refused to sign, or how many of its refunds have failed or expired after
 * the ledger had refused them; deposits of none are left out. What else ends a delivery says nothing about its deposits: it spends an output
 * of the one before, which may never land.
 */
export async function failedPayments(
  db: Db,
  vaultId: string,
  kind: 'deliver' | 'refund',
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ depositId: string; times: number }>`
    select deposit_id as "depositId", count(*)::int as times
      from chain_transactions t join transaction_deposits d on d.transaction_id = t.id
      where t.vault_id = ${vaultId} and t.kind = ${kind}
        and case t.kind when 'deliver' then t.state = 'failed' and t.signed_cbor is null and t.conflict is null
          else t.state = 'failed' or (t.state = 'expired' and t.refusal is not null) end
      group by deposit_id`.execute(db);
  return new Map(rows.map(({ depositId, times }) => [depositId, times]));
}
