import { sql } from 'kysely';
import {
  depositColumns,
  type DepositRow,
  isInLiveTransaction,
  depositTables,
  readDeposit,
  type StoredDeposit,
} from '../../assets/queries/deposits.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import type { DepositKind, OwedDelivery, PlannedShare, ReturnedDeposit } from '../rules/deposits.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import { linkedDeposit, type DepositRef } from '../../transactions/queries/recorded-transactions.ts';
import type { TransactionKind } from '../../transactions/rules.ts';

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

/** The deposits in a vault, or those of them that its settlement returns, that no live refund returns: assets first, each kind by age. */
export async function* depositsToReturn(db: Db, vaultId: string, isSettling: boolean): DepositPages {
  yield* pagesInVault(db, { vaultId, kind: 'asset', isSettling });
  yield* pagesInVault(db, { vaultId, kind: 'investment', isSettling });
}

interface InVault {
  readonly vaultId: string;
  readonly kind: DepositKind;
  /** Whether only what the settlement returns is wanted. */
  readonly isSettling: boolean;
}

const inVault = {
  asset: { age: sql.ref('added_at'), status: 'LOCKED' },
  investment: { age: sql.ref('created_at'), status: 'CONFIRMED' },
} as const;

async function* pagesInVault(db: Db, { vaultId, kind, isSettling }: InVault): AsyncGenerator<DepositRow[]> {
  const { age, status } = inVault[kind];
  const isWanted = isSettling ? sql`return_reason is not null` : sql`true`;
  yield* pagesOf(async (after) => {
    const { rows } = await sql<DepositRow & Place>`
      select ${depositColumns[kind]}, ${age}::text as at from ${depositTables[kind]}
      where vault_id = ${vaultId} and status = ${sql.lit(status)} and ${isWanted}
        and (${age}, id) > (${after.at}::timestamptz, ${after.deposit_id}::uuid)
        and not ${isInLiveTransaction(kind, 'refund')}
      order by ${age}, id limit ${PAGE}`.execute(db);
    return rows;
  });
}

/** A page of the deposits that owners have reclaimed, in the order of their ids after one. */
export async function reclaimedDeposits(
  db: Db,
  vaultId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<StoredDeposit[]> {
  const page = (kind: DepositKind) => sql`
    (select ${depositColumns[kind]} from ${depositTables[kind]}
     where vault_id = ${vaultId} and release_reason = 'reclaimed' and id > ${after}::uuid order by id limit ${limit})`;
  const { rows } = await sql<DepositRow>`
    select * from (${page('asset')} union all ${page('investment')}) as found
    order by deposit_id limit ${limit}`.execute(db);
  return rows.map(readDeposit);
}

/** More deposits than fit into one transaction. */
export const PAGE = 80;

/** Deposits a page at a time, so that a reader who has enough reads no more. */
export type DepositPages = AsyncIterable<readonly DepositRow[]>;

/** The place of a row in the order of its age, to the microsecond. */
interface Place {
  readonly at: string;
  readonly deposit_id: string;
}

/** Before all rows. */
const START: Place = { at: '-infinity', deposit_id: '00000000-0000-0000-0000-000000000000' };

/** Pages of rows in their order until one is not full. */
async function* pagesOf(read: (after: Place) => Promise<(DepositRow & Place)[]>): AsyncGenerator<DepositRow[]> {
  let after = START;
  for (;;) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last;
  }
}

/** The pages with only what `keeps` accepts of them. */
export async function* keepOf(pages: DepositPages, keeps: (deposit: DepositRow) => boolean): DepositPages {
  for await (const page of pages) yield page.filter(keeps);
}

/**
 * How many deliveries of each deposit of a vault the platform has refused to sign, or how many of its refunds have failed or expired after
 * the ledger had refused them; deposits of none are left out. What else ends a delivery says nothing about its deposits: it spends an output
 * of the one before, which may never be confirmed.
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

/** Batches of deposits that one transaction each pays or returns. */
export type BatchKind = Extract<TransactionKind, 'deliver' | 'refund'>;

/** A batch that is in no block yet. */
export type OpenBatch = Pick<ChainTransaction, 'id' | 'state' | 'refusal' | 'expiresAt'>;

/** The batches of a vault that are in no block yet and still may be, oldest first. */
export async function openBatches(db: Db, vaultId: string, kind: BatchKind): Promise<OpenBatch[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['id', 'state', 'refusal', 'expires_at'])
    .where('vault_id', '=', vaultId)
    .where('kind', '=', kind)
    .where('state', 'in', ['pending', 'submitted'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ expires_at: expiresAt, ...row }) => ({ ...row, expiresAt: instant(expiresAt) }));
}

/** What the plan of its vault owes for the deposits that a delivery spends. */
export async function owedDeliveries(db: Db, transactionId: string): Promise<OwedDelivery[]> {
  // Each deposit is looked up by itself: joins may read those of the whole vault for each of its deliveries.
  const { rows } = await sql<OwedRow>`
    select maker.hash, deposit.deposit_index, owed.ft, owed.lovelace, deposit.owner, deposit.invested
    from transaction_deposits link
    join chain_transactions delivery on delivery.id = link.transaction_id
    cross join lateral (
      select ft, coalesce(revised_lovelace, lovelace) as lovelace from entitlements
      where vault_id = delivery.vault_id and deposit_id = link.deposit_id and deposit_kind = link.deposit_kind offset 0) owed
    cross join lateral ${linkedDeposit} deposit
    join chain_transactions maker on maker.id = deposit.maker_id
    where link.transaction_id = ${transactionId}`.execute(db);
  return rows.map(readOwed);
}

interface OwedRow {
  readonly hash: string;
  readonly deposit_index: number;
  readonly owner: string;
  readonly invested: string;
  readonly ft: string;
  readonly lovelace: string;
}

interface ShareRow extends OwedRow {
  readonly value: string;
  readonly unit: string | null;
  readonly quantity: string | null;
}

/** What the plan of a vault gives for each deposit, without what a revision changed. */
export async function plannedShares(db: Db, vaultId: string): Promise<PlannedShare[]> {
  const { rows } = await sql<ShareRow>`
    select maker.hash, coalesce(assets.deposit_index, 0) as deposit_index, owed.ft, owed.lovelace,
      coalesce(assets.added_by, investments.wallet) as owner, coalesce(investments.lovelace, 0) as invested,
      coalesce(assets.counted_value, 0) as value, assets.policy_id || assets.asset_name as unit, assets.quantity
    from entitlements owed
    left join assets on owed.deposit_kind = 'asset' and assets.id = owed.deposit_id
    left join investments on owed.deposit_kind = 'investment' and investments.id = owed.deposit_id
    join chain_transactions maker on maker.id = coalesce(assets.add_transaction_id, investments.transaction_id)
    where owed.vault_id = ${vaultId}`.execute(db);
  return rows.map((row) => ({
    ...readOwed(row),
    value: lovelace(BigInt(row.value)),
    contributed: new Map(row.unit === null ? [] : [[row.unit, BigInt(row.quantity ?? 0)]]),
  }));
}

function readOwed(row: OwedRow): OwedDelivery {
  return {
    deposit: { txHash: row.hash, index: row.deposit_index },
    owner: row.owner,
    invested: lovelace(BigInt(row.invested)),
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
  };
}

/** Records which deposits a settlement returns, and why (design D41). */
export async function setReturnReasons(
  { tx }: TransactionContext,
  returned: readonly ReturnedDeposit[],
): Promise<void> {
  for (const [kind, table] of [['investment', 'investments'] as const, ['asset', 'assets'] as const]) {
    const deposits = returned.filter(({ depositKind }) => depositKind === kind);
    if (deposits.length === 0) continue;
    await sql`
      update ${sql.table(table)} set return_reason = returned.reason
      from unnest(${deposits.map(({ id }) => id)}::uuid[], ${deposits.map(({ reason }) => reason)}::text[])
        as returned(id, reason)
      where ${sql.table(table)}.id = returned.id`.execute(tx);
  }
}

/** Records by which transaction its owner took a deposit back alone; it counts while the deposit is released as reclaimed. */
export async function setReclaimHash(
  tx: Transaction,
  { depositId, depositKind }: DepositRef,
  hash: string,
): Promise<void> {
  const table = depositKind === 'investment' ? 'investments' : 'assets';
  await sql`update ${sql.table(table)} set reclaim_hash = ${hash} where id = ${depositId}`.execute(tx);
}

/** Whether a deposit that the settlement of a vault returns is in the vault and in no transaction that may still return it. */
export async function hasUnreturnedDeposit(tx: Transaction, vaultId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (
        select id from investments where vault_id = ${vaultId} and status = 'CONFIRMED' and return_reason is not null
        union all
        select id from assets where vault_id = ${vaultId} and status = 'LOCKED' and return_reason is not null
      ) as returned
      where not exists (
        select from transaction_deposits d join chain_transactions t on t.id = d.transaction_id
        where d.deposit_id = returned.id and t.kind = 'refund' and t.state not in ('expired', 'failed')
      )
    ) as found`.execute(tx);
  return rows[0]?.found ?? false;
}

/** Whether the ledger holds a deposit of a vault at its deposit addresses or in its custody. */
export async function holdsDeposit(db: Db | Transaction, vaultId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from assets where vault_id = ${vaultId} and status = 'LOCKED')
      or exists (select from investments where vault_id = ${vaultId} and status = 'CONFIRMED') as found`.execute(db);
  return rows[0]?.found ?? false;
}
