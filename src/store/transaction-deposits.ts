import { bulkInsert } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import type { DepositKind } from '../domain/settlement/deposit-kind.ts';
import { jsonWithAmountsAsText } from './stored-json.ts';

export interface DepositInTransaction {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  /** What the owner receives by this transaction, amounts as text. */
  readonly payment: Readonly<Record<string, unknown>>;
}

/** Records the deposits that a transaction spends, and what each owner receives by it. */
export async function linkDeposits(
  tx: Transaction,
  transactionId: string,
  deposits: readonly DepositInTransaction[],
): Promise<void> {
  const rows = deposits.map(({ depositId, depositKind, payment }) => ({
    transaction_id: transactionId,
    deposit_id: depositId,
    deposit_kind: depositKind,
    payment: jsonWithAmountsAsText(payment),
  }));
  const columns = { transaction_id: 'uuid', deposit_id: 'uuid', deposit_kind: 'text', payment: 'jsonb' } as const;
  await bulkInsert(tx, 'transaction_deposits', columns, rows).execute();
}

export async function depositsInTransaction(
  db: Db | Transaction,
  transactionId: string,
): Promise<DepositInTransaction[]> {
  const rows = await db
    .selectFrom('transaction_deposits')
    .selectAll()
    .where('transaction_id', '=', transactionId)
    .execute();
  return rows.map((row) => ({
    depositId: row.deposit_id,
    depositKind: row.deposit_kind,
    payment: row.payment,
  }));
}

/** The wallets that made the deposits that a transaction spends, each once. */
export async function depositOwners(tx: Transaction, transactionId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('transaction_deposits')
    .leftJoin('assets', (join) => join.onRef('assets.id', '=', 'deposit_id').on('deposit_kind', '=', 'asset'))
    .leftJoin('investments', (join) =>
      join.onRef('investments.id', '=', 'deposit_id').on('deposit_kind', '=', 'investment'),
    )
    .select((eb) => eb.fn.coalesce('assets.added_by', 'investments.wallet').as('owner'))
    .distinct()
    .where('transaction_deposits.transaction_id', '=', transactionId)
    .execute();
  return rows.flatMap(({ owner }) => owner ?? []);
}

/** The deposits of a vault that a live transaction of this kind spends. */
export async function depositsInLiveTransactions(
  db: Db | Transaction,
  vaultId: string,
  kind: 'deliver' | 'refund',
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('transaction_deposits')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'transaction_deposits.transaction_id')
    .select('deposit_id')
    .where('chain_transactions.vault_id', '=', vaultId)
    .where('chain_transactions.kind', '=', kind)
    .where('chain_transactions.state', 'not in', ['expired', 'failed'])
    .execute();
  return new Set(rows.map((row) => row.deposit_id));
}
/** Which of a vault's deposits. */

export type DepositRef = Pick<DepositInTransaction, 'depositId' | 'depositKind'>;
