import { sql } from 'kysely';
import { bulkInsert } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { Payments } from '../../platform/database/tables/deposit-payments.ts';
import type { DepositKind } from '../../settlement/rules/deposit-kind.ts';
import { jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';

/** A deposit in a transaction of a kind. */
export interface DepositPayment<Kind extends keyof Payments> extends DepositRef {
  readonly payment: Payments[Kind];
}

/** Records the deposits that a transaction spends, and what each owner receives by it, whose amounts may be bigints. */
export async function linkDeposits(
  tx: Transaction,
  transactionId: string,
  deposits: readonly (DepositRef & { readonly payment: object })[],
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

export async function depositsInTransaction(db: Db | Transaction, transactionId: string): Promise<DepositRef[]> {
  const rows = await db
    .selectFrom('transaction_deposits')
    .select(['deposit_id', 'deposit_kind'])
    .where('transaction_id', '=', transactionId)
    .execute();
  return rows.map((row) => ({ depositId: row.deposit_id, depositKind: row.deposit_kind }));
}

/** As `depositsInTransaction`, with what a transaction of this kind pays for each. */
export async function depositsPaidBy<Kind extends keyof Payments>(
  db: Db | Transaction,
  transactionId: string,
): Promise<DepositPayment<Kind>[]> {
  return db
    .selectFrom('transaction_deposits')
    .select(['deposit_id as depositId', 'deposit_kind as depositKind', 'payment'])
    .where('transaction_id', '=', transactionId)
    .$castTo<DepositPayment<Kind>>()
    .execute();
}

/** The wallets that made the deposits that a transaction spends, each once. */
export async function depositOwners(tx: Transaction, transactionId: string): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`
    select distinct owner from transaction_deposits link cross join lateral ${linkedDeposit} deposit
    where transaction_id = ${transactionId}`.execute(tx);
  return rows.map(({ owner }) => owner);
}

/** The deposit that a row `link` of transaction_deposits names, with the transaction and output that hold it. */
export const linkedDeposit = sql`(
  select added_by as owner, 0 as invested, deposit_index, add_transaction_id as maker_id
    from assets where link.deposit_kind = 'asset' and id = link.deposit_id
  union all
  select wallet, lovelace, 0, transaction_id from investments where link.deposit_kind = 'investment' and id = link.deposit_id)`;

/** Whether a delivery that has landed or still may pays contributors of a vault. */
export async function paysContributors(db: Db, vaultId: string): Promise<boolean> {
  const paid = db
    .selectFrom('entitlements')
    .innerJoin('transaction_deposits', 'transaction_deposits.deposit_id', 'entitlements.deposit_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'transaction_deposits.transaction_id')
    .select('entitlements.deposit_id')
    .where('entitlements.vault_id', '=', vaultId)
    .where('entitlements.deposit_kind', '=', 'asset')
    .where('chain_transactions.kind', '=', 'deliver')
    .where('chain_transactions.state', 'not in', ['expired', 'failed']);
  return (await paid.limit(1).executeTakeFirst()) !== undefined;
}

/** Which of a vault's deposits. */
export interface DepositRef {
  readonly depositId: string;
  readonly depositKind: DepositKind;
}
