import { sql } from 'kysely';
import { deleteExpiredNonces, deleteExpiredSessions } from '../access/queries/sessions.ts';
import { countUnconfirmedAnchors } from '../anchoring/queries/anchor-batches.ts';
import { lastReconciliation, oldestComparison } from '../books/queries/reconciliations.ts';
import { countUnnumberedEvents, deleteOldEvents } from '../events/queries/events.ts';
import { countQuarantined } from '../ledger-follower/queries/quarantine.ts';
import type { Pause, PausedArea, FundsOfDay } from './rules.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { deleteInBatches } from '../platform/database/delete-old-rows.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { runAll } from '../platform/errors.ts';
import { deleteExpiredResponses } from '../platform/http/queries/idempotency.ts';
import { deleteEndedWindows } from '../platform/http/queries/rate-limits.ts';
import type { WorkflowStart } from '../platform/temporal/messages.ts';
import type { WorkflowId } from '../platform/temporal/workflow-ids.ts';
import { deleteSentMessages } from '../platform/temporal/workflow-outbox.ts';
import { wallClock, instant, type Instant, secondsAfter } from '../platform/units/time.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { deleteAnchoredActions } from '../proposals/queries/anchored-actions.ts';
import { holdingVaults, countHolds } from '../vaults/queries/windows.ts';
import { type VaultStatus, vaultStatuses } from '../vaults/rules/vault.ts';
import { deleteVersionUsage } from '../versions/queries.ts';

/** The areas that are paused now. */
export async function activePauses(db: Db | Transaction): Promise<Pause[]> {
  const rows = await db.selectFrom('pauses').select(['area', 'reason', 'since']).orderBy('area').execute();
  return rows.map(({ since, ...pause }) => ({ ...pause, since: instant(since) }));
}

/** Pauses an area; one that is paused keeps its time and gets the new reason. */
export async function setPause(
  { tx, now }: TransactionContext,
  { area, reason }: Pick<Pause, 'area' | 'reason'>,
): Promise<void> {
  await tx
    .insertInto('pauses')
    .values({ area, reason, since: new Date(now) })
    .onConflict((conflict) => conflict.column('area').doUpdateSet({ reason }))
    .execute();
}

/** Ends the pause of an area; returns whether there was one. */
export async function endPause(tx: Transaction, area: PausedArea): Promise<boolean> {
  return (await tx.deleteFrom('pauses').where('area', '=', area).returning('area').execute()).length > 0;
}

/** The public part of the platform's keys. The worker, which alone holds the keys, writes it (design D19). */
export interface Platform {
  readonly network: string;
  readonly operatorAddress: string;
  readonly operatorKeyHash: string;
  /** Blocks after which a transaction is final on this network. */
  readonly confirmationDepth: number;
}

export async function publishPlatform(db: Db, platform: Platform): Promise<void> {
  const row = {
    network: platform.network,
    operator_address: platform.operatorAddress,
    operator_key_hash: platform.operatorKeyHash,
    confirmation_depth: platform.confirmationDepth,
  };
  const stored = await db
    .insertInto('platform')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('network')
    .executeTakeFirst();
  if (stored) return;
  const known = await findPlatform(db);
  if (known?.operatorKeyHash !== platform.operatorKeyHash || known.network !== platform.network) {
    throw new Error('this database belongs to another operator key or network');
  }
  // The follower locks this row for each block: a start need not wait for it.
  if (known.confirmationDepth !== platform.confirmationDepth)
    await db.updateTable('platform').set({ confirmation_depth: platform.confirmationDepth }).execute();
}

/** Returns null until a worker has run once. */
export async function findPlatform(db: Db | Transaction): Promise<Platform | null> {
  const row = await db.selectFrom('platform').selectAll().executeTakeFirst();
  if (!row) return null;
  const { network, operator_address: operatorAddress, operator_key_hash: operatorKeyHash } = row;
  return { network, operatorAddress, operatorKeyHash, confirmationDepth: row.confirmation_depth };
}

/**
 * Leaves out the keys that no vault has, but the last, after which the worker publishes more: vaults that a restored backup does not have
 * may have them on the ledger. Returns how many.
 */
export async function skipFreeVaultKeys(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from vault_keys where vault_id is null and key_index < (select max(key_index) from vault_keys)`.execute(db);
  return Number(numAffectedRows);
}

/** A worker that did not record its presence for this long is gone: far longer than one is busy or without a connection. */
const GONE_AFTER = '1 minute';

/** One that was seen so much later than now was seen while the clock of Postgres was ahead. */
const isAhead = sql<boolean>`seen_at > now() + interval '1 minute'`;

/** Records that a worker takes tasks now, by the clock of Postgres, so that every process means the same. Removes those that are gone. */
export async function recordWorkerPresence(db: Db, id: string): Promise<void> {
  const now = sql<Date>`now()`;
  await db
    .insertInto('worker_presence')
    .values({ worker_id: id, seen_at: now })
    .onConflict((conflict) => conflict.column('worker_id').doUpdateSet({ seen_at: now }))
    .execute();
  // One that was seen ahead of now, and is there, records itself again within seconds.
  const isGone = sql<boolean>`(seen_at < now() - ${GONE_AFTER}::interval or ${isAhead})`;
  await db.deleteFrom('worker_presence').where(isGone).execute();
}

/** Removes a worker that takes no more tasks. */
export async function removeWorkerPresence(db: Db, id: string): Promise<void> {
  await db.deleteFrom('worker_presence').where('worker_id', '=', id).execute();
}

/** Whether a worker recorded its presence in the last `seconds`. */
export async function isWorkerPresent(db: Db, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('worker_presence')
    .select('seen_at')
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .where(sql<boolean>`not (${isAhead})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A workflow that has something left to do. */
export interface UnendedWorkflow {
  readonly workflowId: WorkflowId;
  readonly kind: WorkflowStart['workflow'];
  /** Of what it runs, such as a vault or a proposal. */
  readonly id: string;
  readonly vaultId: string | null;
  /** Only of the workflow of a vault. */
  readonly status: VaultStatus | null;
  /** Whether it is the workflow of a vault that ends or still refunds. */
  readonly isEnding: boolean;
}

/** What Postgres says about which workflows have something left to do. Anchor anchor chains have no end. */
const unended = sql<UnendedWorkflow>`
  select 'vault-' || id as "workflowId", 'vault' as kind, id, id as "vaultId", status,
      (select true from terminations where terminations.vault_id = vaults.id) is not null as "isEnding"
    from vaults where status = any(${vaultStatuses.filter((status) => status !== 'TERMINATED')})
  union all
  select 'vault-' || v.id, 'vault', v.id, v.id, v.status, true
    from (${holdingVaults('assets', 'LOCKED')} union ${holdingVaults('investments', 'CONFIRMED')}) as holding
      cross join lateral (select * from vaults where id = holding.vault_id offset 0) as v
    where v.status = 'TERMINATED' and v.failed_because is not null
      and (select true from terminations where terminations.vault_id = v.id) is null
  union all
  select 'proposal-' || id, 'proposal', id, vault_id, null, false from proposals where released_at is null
  union all
  select 'rotation-' || id, 'rotation', id, vault_id, null, false
    from rotations where finished_at is null and cancelled_at is null
  union all
  select owner_workflow, 'transaction', id, vault_id, null, false
    from chain_transactions
    where owner_workflow like 'tx-%' and state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed')
  union all
  select 'anchor-' || id, 'anchorSubmitter', id, null, null, false from anchor_chains
`;

/** The workflows that have something left to do and to which every message was sent; one that was damaged never is. */
export async function unendedWorkflows(db: Db): Promise<UnendedWorkflow[]> {
  const { rows } = await sql<UnendedWorkflow>`
    select * from (${unended}) as unended
    where not exists (select from workflow_notices
      where workflow_id = "workflowId" and sent_at is null and message ->> 'kind' in ('start', 'signal'))
  `.execute(db);
  return rows;
}

/** Counts what waits in Postgres, over all processes. */
export async function readBacklog(db: Db) {
  const [unsequencedEvents, holds, quarantined, unconfirmedAnchors, reconciliation, oldestComparedAt] =
    await Promise.all([
      countUnnumberedEvents(db),
      countHolds(db),
      countQuarantined(db),
      countUnconfirmedAnchors(db),
      lastReconciliation(db),
      oldestComparison(db),
    ]);
  return { unsequencedEvents, holds, quarantined, unconfirmedAnchors, reconciliation, oldestComparedAt };
}

/** Today (UTC) by the clock of Postgres, which nobody moves: fees are paid in real time. */
export const currentUtcDate = sql<string>`(now() at time zone 'utc')::date`;

/**
 * Records what the operator's address holds now. What is less than before counts once two answers in a row have shown it: a backend may know
 * nothing of the address for a moment, and all that it holds would be spent on that day.
 */
export async function recordOperatorFunds(db: Db, now: Lovelace): Promise<void> {
  const seen = sql`${now}::numeric`;
  const confirmed = sql`least(funds.held, greatest(${seen}, funds.seen_lower))`;
  await sql`
    insert into operator_funds as funds (day, held, spent, seen_at, seen_lower)
    select ${currentUtcDate}, greatest(${seen}, before.held), 0, now(), case when ${seen} < before.held then ${seen} end
      from (select (${heldLast}) as held) as before
    on conflict (day) do update set seen_at = excluded.seen_at,
      held = case when ${seen} >= funds.held then ${seen} when funds.seen_lower is null then funds.held else ${confirmed} end,
      spent = funds.spent + case when ${seen} >= funds.held or funds.seen_lower is null then 0 else funds.held - ${confirmed} end,
      seen_lower = case when ${seen} < funds.held and (funds.seen_lower is null or ${seen} < ${confirmed}) then ${seen} end
  `.execute(db);
}

/** Days that are still to come are of a clock that was ahead. */
const heldLast = sql`select held from operator_funds where day <= ${currentUtcDate} order by day desc limit 1`;

/** The latest days on which the operator's address was seen, latest first. */
export async function latestOperatorFunds(db: Db, days: number): Promise<FundsOfDay[]> {
  const rows = await db
    .selectFrom('operator_funds')
    .select([sql<Date>`day::timestamp at time zone 'utc'`.as('day'), 'held', 'spent', 'seen_at'])
    .where('day', '<=', currentUtcDate)
    .orderBy('operator_funds.day', 'desc')
    .limit(days)
    .execute();
  return rows.map(({ day, held, spent, seen_at: seenAt }) => ({
    day: instant(day),
    held: lovelace(BigInt(held)),
    spent: lovelace(BigInt(spent)),
    seenAt: instant(seenAt),
  }));
}

/** Of the five minutes of a sweep: some million rows. The next sweep begins when this one has ended. */
const SECONDS = 30;
/** As long as the longest support window of a version, and some. */
const USAGE_KEPT_DAYS = 400;

interface Kept {
  readonly eventsKeptDays: number;
  /** The instant, by the clock of the service, since which anchored actions count. */
  readonly anchoredActionsSince: Instant;
}

/**
 * Deletes the rows whose time has passed, table by table at once and each portion by portion while there is time. They are kept for so long
 * in the world, so their time is wall time: a development clock that jumps deletes nothing early, and what it dates later stays longer.
 */
export async function deleteExpired(db: Db, { eventsKeptDays, anchoredActionsSince }: Kept): Promise<void> {
  const started = wallClock.now();
  const now = new Date(started);
  const isTimeUp = () => wallClock.now() > secondsAfter(started, SECONDS);
  const portions = [
    () => deleteExpiredNonces(db, now),
    () => deleteExpiredSessions(db, now),
    () => deleteExpiredResponses(db, now),
    () => deleteEndedWindows(db, now),
    () => deleteSentMessages(db),
    () => deleteOldEvents(db, daysBefore(now, eventsKeptDays)),
    () => deleteAnchoredActions(db, anchoredActionsSince),
  ];
  await runAll(
    [
      ...portions.map((portion) => () => deleteInBatches(portion, isTimeUp)),
      // A row for each client and day.
      () => deleteVersionUsage(db, daysBefore(now, USAGE_KEPT_DAYS)),
    ],
    TABLES_AT_ONCE,
  );
}

/** Of the connections of a worker. */
const TABLES_AT_ONCE = 4;

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000);
