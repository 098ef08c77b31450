import { type Selectable, sql } from 'kysely';
import type { TransactionKind, TransactionState } from '../../transactions/rules.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { QuarantineTables } from '../../platform/database/tables/ledger.ts';

/** A change of a transaction whose effects were not applied. */
export interface QuarantinedChange {
  readonly from: TransactionState;
  readonly to: TransactionState;
  readonly isRollback: boolean;
  readonly blockHeight: number | null;
}

/** A failed effect, or one that waits behind it. */
export interface QuarantineEntry extends QuarantinedChange {
  readonly id: string;
  readonly transactionId: string;
  readonly error: string;
  readonly attempts: number;
  readonly at: Instant;
}

export async function insertQuarantined(
  { tx, now }: TransactionContext,
  transactionId: string,
  change: QuarantinedChange & { readonly error: string; readonly attempts: number },
): Promise<void> {
  await tx
    .insertInto('quarantine')
    .values({
      transaction_id: transactionId,
      from_state: change.from,
      to_state: change.to,
      is_rollback: change.isRollback,
      block_height: change.blockHeight === null ? null : BigInt(change.blockHeight),
      error: change.error,
      attempts: change.attempts,
      at: new Date(now),
      attempted_at: new Date(now),
    })
    .execute();
}

/** What is in quarantine of a transaction, oldest first. */
export async function quarantineOf(tx: Transaction, transactionId: string): Promise<QuarantineEntry[]> {
  const query = tx.selectFrom('quarantine').selectAll().where('transaction_id', '=', transactionId);
  return (await query.orderBy('id').execute()).map(readEntry);
}

export async function deleteQuarantined(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('quarantine').where('id', '=', anyOf(ids)).execute();
}

/** Records another attempt that failed. */
export async function recordAttempt({ tx, now }: TransactionContext, id: string, error: string): Promise<void> {
  await tx
    .updateTable('quarantine')
    .set((column) => ({ error, attempts: column('attempts', '+', 1), attempted_at: new Date(now) }))
    .where('id', '=', id)
    .execute();
}

/** An entry with its transaction, for an operator. */
export interface ListedEntry extends QuarantineEntry {
  readonly hash: string;
  readonly kind: TransactionKind;
  readonly vaultId: string | null;
}

/** Everything in quarantine, oldest first. */
export async function listQuarantine(db: Db): Promise<ListedEntry[]> {
  const rows = await db
    .selectFrom('quarantine')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'quarantine.transaction_id')
    .selectAll('quarantine')
    .select(['hash', 'kind', 'vault_id'])
    .orderBy('quarantine.id')
    .execute();
  return rows.map((row) => ({ ...readEntry(row), hash: row.hash, kind: row.kind, vaultId: row.vault_id }));
}

/** Whether an effect of a transaction of this vault is in quarantine. */
export async function isVaultInQuarantine(db: Db | Transaction, vaultId: string): Promise<boolean> {
  return (await quarantinedOf(db, vaultId).executeTakeFirst()) !== undefined;
}

/** Whether the rollback of a stake of this vault, or of its return, is in quarantine: which stakes it has is not recorded. */
export async function isStakeRollbackInQuarantine(tx: Transaction, vaultId: string): Promise<boolean> {
  const ofStakes = quarantinedOf(tx, vaultId).where('is_rollback', '=', true).where('kind', 'in', ['stake', 'unstake']);
  return (await ofStakes.executeTakeFirst()) !== undefined;
}

function quarantinedOf(db: Db | Transaction, vaultId: string) {
  return db
    .selectFrom('quarantine')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'quarantine.transaction_id')
    .select('quarantine.id')
    .where('vault_id', '=', vaultId)
    .limit(1);
}

/** The deposits of a vault of which a confirmation, a removal or a rollback is in quarantine: where they are is not recorded. */
export async function depositsInQuarantine(db: Db, vaultId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with quarantined as (
      select array(select q.transaction_id from quarantine q join chain_transactions t on t.id = q.transaction_id
        where t.vault_id = ${vaultId}) as ids
    )
    select id from assets, quarantined where add_transaction_id = any(ids) or remove_transaction_id = any(ids)
    union all
    select id from investments, quarantined where transaction_id = any(ids) or remove_transaction_id = any(ids)`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The number of transactions with an effect in quarantine. */
export async function countQuarantined(db: Db): Promise<number> {
  const count = db.fn.count<string>('transaction_id').distinct().as('count');
  return Number((await db.selectFrom('quarantine').select(count).executeTakeFirstOrThrow()).count);
}

function readEntry(row: Selectable<QuarantineTables['quarantine']>): QuarantineEntry {
  return {
    id: row.id,
    transactionId: row.transaction_id,
    from: row.from_state,
    to: row.to_state,
    isRollback: row.is_rollback,
    blockHeight: row.block_height === null ? null : Number(row.block_height),
    error: row.error,
    attempts: row.attempts,
    at: instant(row.at),
  };
}
