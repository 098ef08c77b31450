import { sql } from 'kysely';
import { isOpen, transactionStates } from '../../transactions/rules/transaction-state.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { DeletionObstacle } from '../rules/deletion.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { isVaultInQuarantine } from '../../ledger-follower/queries/quarantine.ts';
import { holdsDeposit } from '../../settlement/queries/returned-deposits.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** Hides a vault from its readers, and erases the email address of its admin. */
export async function markDeleted({ tx, now }: TransactionContext, vaultId: string): Promise<void> {
  const at = new Date(now);
  await tx
    .updateTable('vaults')
    .set({ deleted_at: at, updated_at: at, admin_email: null })
    .where('id', '=', vaultId)
    .execute();
}

/**
 * What Postgres knows that keeps a vault from being deleted. Its creation transaction does not: it moves nothing of anybody. A failed
 * transaction can land until it expires.
 */
export async function findDeletionObstacles(
  db: Db | Transaction,
  vaultId: string,
  now: Instant,
): Promise<DeletionObstacle[]> {
  const { rows } = await sql<{ obstacle: DeletionObstacle }>`
    select 'stakes' as obstacle where exists (select from stakes where vault_id = ${vaultId} and status <> 'RELEASED')
    union all
    select 'proposals' where exists (select from proposals where vault_id = ${vaultId} and released_at is null)
    union all
    select 'transactions' where exists (
      select from chain_transactions where vault_id = ${vaultId} and kind <> 'create_vault'
        and (state = any(${transactionStates.filter(isOpen)}) or (state = 'failed' and expires_at > ${new Date(now)})))
    union all
    select 'unsolicited_outputs' where exists (
      select from unsolicited_outputs where vault_id = ${vaultId} and gone_at is null and returned_at is null)
  `.execute(db);
  return [
    ...((await holdsDeposit(db, vaultId)) ? ['deposits' as const] : []),
    ...rows.map(({ obstacle }) => obstacle),
    ...((await isVaultInQuarantine(db, vaultId)) ? ['quarantine' as const] : []),
  ];
}

/** Ids of deleted vaults that have ended and still have rows, in any order, so that none keeps the others waiting. */
export async function vaultsToErase(db: Db, limit: number): Promise<string[]> {
  const query = db
    .selectFrom('vaults')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('erased_at', 'is', null)
    .where('status', '=', 'TERMINATED');
  const rows = await query
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` rows that belong to a vault; returns how many, 0 when none is left. */
export async function deleteVaultRows(db: Db, vaultId: string, limit: number): Promise<number> {
  const ofVault = sql`vault_id = ${vaultId}`;
  const ofItsProposals = sql`proposal_id in (select id from proposals where vault_id = ${vaultId})`;
  const ofItsTransactions = sql`transaction_id in (select id from chain_transactions where vault_id = ${vaultId})`;
  // Rows come before those they refer to, so that a statement deletes no more by cascades than the stakes that votes use.
  const parts = [
    ['votes', ofItsProposals],
    ['endorsements', ofItsProposals],
    ['executions', ofVault],
    ['proposals', ofVault],
    ['stakes', ofVault],
    ['claims', ofVault],
    ['transaction_deposits', ofItsTransactions],
    ['entitlements', ofVault],
    ['settlements', ofVault],
    ['reclaim_checks', ofVault],
    ['watched_addresses', ofVault],
    ['investments', ofVault],
    ['assets', ofVault],
    ['holds', ofVault],
    ['vault_valuations', ofVault],
    ['windows', ofVault],
  ] as const;
  for (const [name, condition] of parts) {
    const table = sql.table(name);
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${limit}))`.execute(
      db,
    );
    if (numAffectedRows > 0n) return Number(numAffectedRows);
  }
  return 0;
}

/** Records that nothing belongs to a deleted vault any more, and removes what its creator wrote. */
export async function markErased(db: Db, vaultId: string, now: Instant): Promise<void> {
  await db
    .updateTable('vaults')
    .set({ erased_at: new Date(now), name: '', metadata: JSON.stringify({}) })
    .where('id', '=', vaultId)
    .execute();
}

/** Whether the rows of a deleted vault are gone. */
export async function isVaultErased(tx: Transaction, vaultId: string): Promise<boolean> {
  const query = tx.selectFrom('vaults').select('id').where('id', '=', vaultId).where('erased_at', 'is not', null);
  return (await query.executeTakeFirst()) !== undefined;
}
