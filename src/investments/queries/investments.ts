import { type Selectable, sql } from 'kysely';
import { type DepositGuard, guardColumns, readGuard } from '../../assets/queries/deposits.ts';
import { type InvestmentReleaseReason, type InvestmentStatus, investmentTransition } from '../rules.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import type { InvestmentsTable } from '../../platform/database/tables/deposits.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import {
  type BoundingVault,
  boundingVault,
  boundingVaultOf,
  readBoundingVault,
} from '../../settlement/queries/current-deposits.ts';
import type { InvestmentReturnReason } from '../../settlement/rules/deposits.ts';
import { investmentOf } from '../../settlement/rules/distribution.ts';
import type { BoundedInvestment, RankedInvestment } from '../../settlement/rules/fdv-bounds.ts';
import type { SharesOfOthers } from '../../settlement/rules/quote.ts';
import { type ChainTransaction, isFirstOutput, makersOf } from '../../transactions/queries/transactions.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';

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

/** Moves an investment to another status. */
export async function changeInvestmentStatus(
  context: TransactionContext,
  investment: Investment,
  change: InvestmentChange,
): Promise<void> {
  await changeInvestmentStatuses(context, [investment], change);
}

/** Moves investments to another status. */
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

function readInvestment(row: Selectable<InvestmentsTable>): Investment {
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

/** A vault's investments in some of the statuses, oldest first. */
export async function vaultInvestments(
  db: Db | Transaction,
  vaultId: string,
  statuses: readonly InvestmentStatus[],
): Promise<Investment[]> {
  const rows = await db
    .selectFrom('investments')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', 'in', statuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readInvestment);
}

/** What was invested in a vault under each bound on the FDV, among the investments that stay and accept this value of the assets. */
export async function investedByMaxFdv(
  db: Db | Transaction,
  vaultId: string,
  vaultValue: Lovelace,
): Promise<Required<BoundedInvestment>[]> {
  const rows = await accepting(db, vaultId, vaultValue)
    .select(({ fn }) => ['max_fdv', fn.sum<string>('lovelace').as('invested')])
    .groupBy('max_fdv')
    .execute();
  return rows.map(({ max_fdv: maxFdv, invested }) => {
    return { lovelace: lovelace(BigInt(invested)), maxFdv: maxFdv === null ? null : lovelace(BigInt(maxFdv)) };
  });
}

/** Those of these investments that have a bound on the FDV. */
export async function boundedInvestments(
  db: Db | Transaction,
  vaultId: string,
  vaultValue: Lovelace,
): Promise<RankedInvestment[]> {
  const rows = await accepting(db, vaultId, vaultValue).selectAll().where('max_fdv', 'is not', null).execute();
  return rows.map((row) => investmentOf(readInvestment(row)));
}

function accepting(db: Db | Transaction, vaultId: string, vaultValue: Lovelace) {
  return db
    .selectFrom('investments')
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'CONFIRMED')
    .where('remove_transaction_id', 'is', null)
    .where('min_vault_value', '<=', String(vaultValue));
}

interface SharesQuestion {
  /** Of the assets; investments with a higher bound on it do not count. */
  readonly vaultValue: Lovelace;
  /** Ids of those that break their bound on the FDV. */
  readonly above: ReadonlySet<string>;
  readonly investorsFt: bigint;
  /** Lovelace of all that count. */
  readonly invested: bigint;
  /** Of the investment that is quoted. */
  readonly remainder: bigint;
}

/** What the investments in a vault would get, added up by Postgres. */
export async function sharesOfInvestments(
  db: Db | Transaction,
  vaultId: string,
  { vaultValue, above, investorsFt, invested, remainder }: SharesQuestion,
): Promise<SharesOfOthers> {
  const [product, divisor] = [sql`lovelace * ${String(investorsFt)}::numeric`, sql`${String(invested)}::numeric`];
  const { rows } = await sql<{ units: string; ahead: number; below: number }>`
    select coalesce(sum(div(${product}, ${divisor})), 0)::text as units,
      (count(*) filter (where mod(${product}, ${divisor}) >= ${String(remainder)}::numeric))::int as ahead,
      (count(*) filter (where ${product} < ${divisor}))::int as below
    from investments
    where vault_id = ${vaultId} and status = 'CONFIRMED' and remove_transaction_id is null
      and min_vault_value <= ${String(vaultValue)}::numeric
      and (${above.size === 0} or id <> all(${[...above]}::uuid[]))`.execute(db);
  const { units = '0', ahead = 0, below = 0 } = rows[0] ?? {};
  return { units: BigInt(units), ahead, belowOneUnit: below };
}

export interface InvestmentFilter {
  readonly vaultId: string;
  readonly status?: InvestmentStatus | undefined;
  readonly wallet?: string | undefined;
}

export interface ListedInvestment {
  readonly investment: Investment;
  readonly transactionHash: string;
  /** What its script depends on. */
  readonly guard: DepositGuard;
}

const columns = {
  createdAt: 'investments.created_at',
  lovelace: 'investments.lovelace',
  status: 'investments.status',
} as const;

/**
 * A page of a vault's investments, the total, and what their bounds are compared with; without a status filter, investments that were
 * never signed are left out. Null when the vault is hidden from the reader.
 */
export async function listInvestments(
  db: Db,
  { vaultId, status, wallet }: InvestmentFilter,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ investments: ListedInvestment[]; count: PageCount; bounding: BoundingVault } | null> {
  const matching = db
    .selectFrom('investments')
    .where('investments.vault_id', '=', vaultId)
    .where((eb) => eb.and(givenFields({ 'investments.wallet': wallet, 'investments.status': status })))
    .$if(status === undefined, (query) => query.where('investments.status', '!=', 'EXPIRED'));
  const listedColumns = matching
    .innerJoin('vaults', 'vaults.id', 'investments.vault_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'investments.transaction_id')
    .selectAll('investments')
    .select(['chain_transactions.hash', ...guardColumns]);
  const tieBreak = ['investments.created_at', 'investments.id'];
  const collection = { columns, tieBreak, visible: isVaultVisible(vaultId, scope), of: boundingVault(vaultId) };
  const { rows, count, of: bounding } = await readPage(db, listedColumns, matching, collection, page);
  return bounding && { investments: rows.map(listed), count, bounding: readBoundingVault(bounding) };
}

/** An investment in a vault, and what its bounds are compared with if it has any. */
export async function findListedInvestment(
  db: Db,
  { vaultId, investmentId }: { readonly vaultId: string; readonly investmentId: string },
): Promise<{ listed: ListedInvestment; bounding: BoundingVault | null } | null> {
  const row = await db
    .selectFrom('investments')
    .innerJoin('vaults', 'vaults.id', 'investments.vault_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'investments.transaction_id')
    .where('investments.id', '=', investmentId)
    .where('investments.vault_id', '=', vaultId)
    .selectAll('investments')
    .select(['chain_transactions.hash', ...guardColumns])
    .select(boundingVaultOf(vaultId).as('bounding'))
    .executeTakeFirst();
  return row ? { listed: listed(row), bounding: row.bounding && readBoundingVault(row.bounding) } : null;
}

type ListedRow = Selectable<InvestmentsTable> & Parameters<typeof readGuard>[0] & { readonly hash: string };

function listed(row: ListedRow): ListedInvestment {
  return { investment: readInvestment(row), transactionHash: row.hash, guard: readGuard(row) };
}
