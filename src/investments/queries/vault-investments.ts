import { type Selectable, sql } from 'kysely';
import type { SharesOfOthers } from '../../settlement/rules/quote-from-sums.ts';
import { investmentOf } from '../../settlement/rules/distribution-input.ts';
import type { BoundedInvestment, RankedInvestment } from '../../settlement/rules/fdv-bounds.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { InvestmentStatus } from '../rules/investment.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type DepositGuard, guardColumns, readGuard } from '../../assets/queries/deposit-guard.ts';
import { type Investment, readInvestment } from './investments.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import {
  type BoundingVault,
  boundingVault,
  boundingVaultOf,
  readBoundingVault,
} from '../../settlement/queries/present-deposits.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import type { InvestmentsTable } from '../../platform/database/tables/investments.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

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
    .modifyFront(prepared)
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
