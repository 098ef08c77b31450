import type { Selectable } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type InvestmentReleaseReason, type InvestmentStatus, investmentTransition } from '../rules/investment.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { InvestmentReturnReason } from '../../settlement/rules/counted-deposits.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import { type ChainTransaction, isFirstOutput, makersOf } from '../../transactions/queries/chain-transactions.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { InvestmentsTable } from '../../platform/database/tables/investments.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

export interface Investment {
  readonly id: string;
  readonly vaultId: string;
  readonly wallet: string;
  readonly lovelace: Lovelace;
  readonly deliveryDeposit: Lovelace;
  /** The value that the assets of the vault must have for it to count; 0 sets no bound (design D41). */
  readonly minVaultValue: Lovelace;
  /** The FDV up to which it counts; null sets no bound (design D41). */
  readonly maxFdv: Lovelace | null;
  readonly status: InvestmentStatus;
  readonly releaseReason: InvestmentReleaseReason | null;
  readonly transactionId: string;
  /** The transaction by which its owner takes it back. */
  readonly removeTransactionId: string | null;
  /** Why the settlement returns it; null when it counts, or while nothing is planned. */
  readonly returnReason: InvestmentReturnReason | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewInvestment = Omit<
  Investment,
  'status' | 'releaseReason' | 'removeTransactionId' | 'returnReason' | 'updatedAt'
>;

/** Records an investment. */
export async function insertInvestment(tx: Transaction, investment: NewInvestment): Promise<void> {
  await tx
    .insertInto('investments')
    .values({
      id: investment.id,
      vault_id: investment.vaultId,
      wallet: investment.wallet,
      lovelace: investment.lovelace,
      delivery_deposit: investment.deliveryDeposit,
      min_vault_value: investment.minVaultValue,
      max_fdv: investment.maxFdv,
      status: 'PENDING',
      release_reason: null,
      transaction_id: investment.transactionId,
      created_at: new Date(investment.createdAt),
      updated_at: new Date(investment.createdAt),
    })
    .execute();
}

export async function findInvestment(db: Db, investmentId: string): Promise<Investment | null> {
  const row = await db.selectFrom('investments').selectAll().where('id', '=', investmentId).executeTakeFirst();
  return row ? readInvestment(row) : null;
}

export async function lockInvestment(tx: Transaction, investmentId: string): Promise<Investment | null> {
  const row = await tx
    .selectFrom('investments')
    .selectAll()
    .where('id', '=', investmentId)
    .forUpdate()
    .executeTakeFirst();
  return row ? readInvestment(row) : null;
}

/** Locks investments, in the order of their ids. */
export async function lockInvestments(tx: Transaction, investmentIds: readonly string[]): Promise<Investment[]> {
  const query = tx.selectFrom('investments').selectAll().where('id', '=', anyOf(investmentIds));
  return (await query.orderBy('id').forUpdate().execute()).map(readInvestment);
}

/** Locks the investment that this transaction brings or takes back. Throws when there is none. */
export async function lockInvestmentOfTransaction(
  tx: Transaction,
  column: 'transaction_id' | 'remove_transaction_id',
  transactionId: string,
): Promise<Investment> {
  const query = tx.selectFrom('investments').selectAll().where(column, '=', transactionId).forUpdate();
  return readInvestment(await query.executeTakeFirstOrThrow());
}

/** The investment that a transaction brings; null when there is none. */
export async function findInvestmentOfTransaction(tx: Transaction, transactionId: string): Promise<Investment | null> {
  const query = tx.selectFrom('investments').selectAll().where('transaction_id', '=', transactionId);
  const row = await query.executeTakeFirst();
  return row ? readInvestment(row) : null;
}

/** Locks the investment that a transaction takes back; null when another transaction takes it back by now. */
export async function lockInvestmentReturnedBy(tx: Transaction, transactionId: string): Promise<Investment | null> {
  const query = tx.selectFrom('investments').selectAll().where('remove_transaction_id', '=', transactionId);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readInvestment(row) : null;
}

/** Links the investment that a transaction spends to that transaction, which takes it back. */
export async function linkInvestmentRemoval(
  { tx, now }: TransactionContext,
  { id, inputs }: Pick<ChainTransaction, 'id' | 'inputs'>,
): Promise<void> {
  await tx
    .updateTable('investments')
    .set({ remove_transaction_id: id, updated_at: new Date(now) })
    .where('transaction_id', 'in', makersOf(tx, inputs.filter(isFirstOutput)))
    .execute();
}

/** Links an investment to the transaction that takes it back; null unlinks it. */
export async function setInvestmentRemoval(
  { tx, now }: TransactionContext,
  investmentId: string,
  transactionId: string | null,
): Promise<void> {
  await tx
    .updateTable('investments')
    .set({ remove_transaction_id: transactionId, updated_at: new Date(now) })
    .where('id', '=', investmentId)
    .execute();
}

export type InvestmentChange =
  | { status: 'REFUNDED' | 'EXPIRED'; reason: InvestmentReleaseReason }
  | { status: Exclude<InvestmentStatus, 'REFUNDED' | 'EXPIRED'>; direction?: Direction };

/** Moves an investment to another status; throws INVALID_TRANSITION. */
export async function changeInvestmentStatus(
  context: TransactionContext,
  investment: Investment,
  change: InvestmentChange,
): Promise<void> {
  await changeInvestmentStatuses(context, [investment], change);
}

/** Moves investments to another status; throws INVALID_TRANSITION. */
export async function changeInvestmentStatuses(
  { tx, now }: TransactionContext,
  investments: readonly Investment[],
  change: InvestmentChange,
): Promise<void> {
  const [direction, reason] = 'reason' in change ? (['forward', change.reason] as const) : [change.direction, null];
  for (const { status } of investments) investmentTransition(status, change.status, direction);
  const ids = investments.map(({ id }) => id);
  await tx
    .updateTable('investments')
    .set({ status: change.status, release_reason: reason, updated_at: new Date(now) })
    .where('id', '=', anyOf(ids))
    .execute();
}

export function readInvestment(row: Selectable<InvestmentsTable>): Investment {
  return {
    id: row.id,
    vaultId: row.vault_id,
    wallet: row.wallet,
    lovelace: lovelace(BigInt(row.lovelace)),
    deliveryDeposit: lovelace(BigInt(row.delivery_deposit)),
    status: row.status,
    releaseReason: row.release_reason,
    minVaultValue: lovelace(BigInt(row.min_vault_value)),
    maxFdv: row.max_fdv === null ? null : lovelace(BigInt(row.max_fdv)),
    transactionId: row.transaction_id,
    removeTransactionId: row.remove_transaction_id,
    returnReason: row.return_reason,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  };
}
