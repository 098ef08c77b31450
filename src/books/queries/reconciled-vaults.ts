import { sql } from 'kysely';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { isWatched } from '../../ledger-follower/queries/watched-vaults.ts';

/** So many vaults are all compared by each reconciliation. */
const FEW_VAULTS = 100;
/** Each vault is compared at least so often. */
const LONGEST_SECONDS = 24 * 3600;
/** What others did counts an hour after its block (readLedger), and so has to be compared again then. */
const UNNOTICED_SECONDS = 2 * 3600;
/** One of the Schedule takes no longer than this of its hour. */
const SCHEDULED_SECONDS = 50 * 60;
/** Of those that nothing has happened to; the others are left to the next reconciliation. */
const MOST_UNCHANGED = 5000;

/** A vault that a reconciliation is to compare. */
export interface PlannedVault {
  readonly vaultId: string;
  readonly position: number;
}

/** Plans a reconciliation of all vaults at whose addresses the ledger can have something. */
export async function planAllVaults({ tx, now }: TransactionContext, reconciliationId: string): Promise<void> {
  await sql`
    insert into reconciliation_vaults
      select ${reconciliationId}, row_number() over (order by id), id from vaults
      where deleted_at is null and ${isWatched(sql`${new Date(now)}::timestamptz`)}`.execute(tx);
}

/**
 * Plans a reconciliation of the vaults to which something has happened since the last one of the Schedule began, or of which a difference
 * was found, and after them of those that were compared longest ago.
 */
export async function planDueVaults({ tx, now }: TransactionContext, reconciliationId: string): Promise<void> {
  const at = sql`${new Date(now)}::timestamptz`;
  const aDayAgo = sql`${new Date(secondsAfter(now, -LONGEST_SECONDS))}::timestamptz`;
  await forgetUnwatched({ tx, now });
  // A clock was ahead.
  await sql`update vault_comparisons set compared_at = '-infinity' where compared_at > ${at}`.execute(tx);
  const since = await beganLast({ tx, now });
  await sql`
    with happened as materialized (
      select vault_id from chain_transactions where updated_at > ${since} and vault_id is not null
      union select vault_id from watched_addresses where is_due
      union select vault_id from watched_addresses
        where seen_height > (select height from blocks where made_at <= ${since} order by height desc limit 1)
      union select vault_id from reconciliation_differences where reconciliation_id = (
        select id from reconciliations where ended_at is not null and started_at <= ${at} order by started_at desc, id desc limit 1)
    ), unchanged as materialized (
      select vault_id from vault_comparisons
      where compared_at < case when (select count(*) from (select from vault_comparisons limit ${FEW_VAULTS + 1}) as few)
        > ${FEW_VAULTS} then ${aDayAgo} else 'infinity' end
      order by compared_at, vault_id limit ${MOST_UNCHANGED}
    ), due as (
      select vault_id, true as has_changed from happened
      union select vault_id, false from unchanged where vault_id not in (select vault_id from happened)
    )
    insert into reconciliation_vaults
      select ${reconciliationId}, row_number() over (order by has_changed desc, compared_at nulls first, id), id
      from due join vaults on id = due.vault_id left join vault_comparisons c on c.vault_id = id
      where deleted_at is null and ${isWatched(at)}`.execute(tx);
}

/** Of the last reconciliation of the Schedule that ended, with the time in which what others do does not count yet. */
async function beganLast({ tx, now }: Pick<TransactionContext, 'tx' | 'now'>): Promise<Date> {
  const last = await tx
    .selectFrom('reconciliations')
    .select('started_at')
    .where('started_by', '=', 'schedule')
    .where('ended_at', 'is not', null)
    .where('started_at', '<=', new Date(now))
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return new Date((last?.started_at.getTime() ?? UNNOTICED_SECONDS * 1000) - UNNOTICED_SECONDS * 1000);
}

async function forgetUnwatched({ tx, now }: Pick<TransactionContext, 'tx' | 'now'>): Promise<void> {
  const aDayAgo = new Date(secondsAfter(now, -LONGEST_SECONDS));
  await sql`delete from vault_comparisons c using vaults
    where vaults.id = c.vault_id and c.compared_at < ${aDayAgo}
      and (deleted_at is not null or not ${isWatched(sql`${new Date(now)}::timestamptz`)})`.execute(tx);
}

/**
 * The next vaults that a reconciliation is to compare, those that were deleted meanwhile left out; none once the time of one that the
 * Schedule has started is over.
 */
export async function nextPlannedVaults(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  reconciliationId: string,
  limit: number,
): Promise<PlannedVault[]> {
  const began = new Date(secondsAfter(now, -SCHEDULED_SECONDS));
  const rows = await tx
    .selectFrom('reconciliation_vaults as planned')
    .innerJoin('reconciliations', 'reconciliations.id', 'planned.reconciliation_id')
    .innerJoin('vaults', 'vaults.id', 'planned.vault_id')
    .select(['planned.vault_id', 'planned.position'])
    .where('planned.reconciliation_id', '=', reconciliationId)
    .whereRef('planned.position', '>', 'reconciliations.last_position')
    .where('vaults.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('started_by', '=', 'operator'), eb('started_at', '>', began)]))
    .orderBy('planned.position')
    .limit(limit)
    .execute();
  return rows.map(({ vault_id, position }) => ({ vaultId: vault_id, position }));
}

/** Records when a vault was compared. */
export async function recordComparison(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  vaultId: string,
): Promise<void> {
  const compared_at = new Date(now);
  await tx
    .insertInto('vault_comparisons')
    .values({ vault_id: vaultId, compared_at })
    .onConflict((conflict) => conflict.column('vault_id').doUpdateSet({ compared_at }))
    .execute();
}

/** Ends the plan of a reconciliation; returns how many vaults it has not compared. */
export async function endPlan({ tx }: Pick<TransactionContext, 'tx'>, reconciliationId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    with planned as (delete from reconciliation_vaults where reconciliation_id = ${reconciliationId} returning position)
    select count(*)::int as left from planned
    where position > (select last_position from reconciliations where id = ${reconciliationId})`.execute(tx);
  return rows[0]?.left ?? 0;
}

/** When the vault was compared that waits longest to be compared again; null before the first comparison. */
export async function oldestComparison(db: Db): Promise<Instant | null> {
  const row = await db
    .selectFrom('vault_comparisons')
    .select('compared_at')
    .where(sql<boolean>`compared_at > '-infinity'`)
    .orderBy('compared_at')
    .limit(1)
    .executeTakeFirst();
  return row ? (row.compared_at.getTime() as Instant) : null;
}
