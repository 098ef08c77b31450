import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import type { AuditLogTable } from './tables/vaults.ts';

/** An entry of the audit log in its place in the chain. */
export type ChainedEntry = Selectable<AuditLogTable>;
/** The last place taken in the audit chain. */
export interface ChainEnd {
  readonly seq: bigint;
  readonly hash: string | null;
}
/** The place an entry gets. */
export interface ChainLink {
  readonly id: string;
  readonly seq: bigint;
  readonly previousHash: string;
  readonly hash: string;
}

/** Whether anything was committed that has no number yet. */
export async function anyUnnumbered(db: Db): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from outbox where seq is null) or exists (select from audit_log where seq is null) as any
  `.execute(db);
  return rows[0]?.any === true;
}

/** How many committed events have no number yet. */
export async function countUnnumberedEvents(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from outbox where seq is null`.execute(db);
  return Number(rows[0]?.count);
}

/** Makes this transaction the only one that gives numbers; false when another one is. */
export async function lockNumbering(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('sequencer', 0)) as taken
  `.execute(tx);
  return rows[0]?.taken === true;
}

/** Numbers the oldest events without one, without a gap; answers how many. */
export async function numberEvents(tx: Transaction, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with waiting as (select id, recorded from outbox where seq is null order by recorded limit ${limit}),
         numbered as (select id, row_number() over (order by recorded) as place from waiting)
    update outbox set seq = (select coalesce(max(seq), 0) from outbox) + place
    from numbered where outbox.id = numbered.id
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Where the audit chain ends; sequence number 0 without a hash before the first entry. */
export async function auditChainEnd(tx: Transaction): Promise<ChainEnd> {
  const last = await tx
    .selectFrom('audit_log')
    .select(['seq', 'hash'])
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { seq: BigInt(last?.seq ?? 0), hash: last?.hash ?? null };
}

/** The oldest audit entries outside the chain. */
export async function unchainedAudit(tx: Transaction, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    select * from audit_log where seq is null order by recorded limit ${limit}
  `.execute(tx);
  return rows;
}

export async function chainAudit(tx: Transaction, links: readonly ChainLink[]): Promise<void> {
  await sql`
    update audit_log set seq = link.seq, previous_hash = link.previous_hash, hash = link.hash
    from unnest(
      ${links.map(({ id }) => id)}::uuid[], ${links.map(({ seq }) => seq)}::bigint[],
      ${links.map(({ previousHash }) => previousHash)}::text[], ${links.map(({ hash }) => hash)}::text[]
    ) as link (id, seq, previous_hash, hash)
    where audit_log.id = link.id
  `.execute(tx);
}

/** The chained entries after `seq`, in order. */
export async function auditPage(db: Db, seq: bigint, limit: number): Promise<ChainedEntry[]> {
  return db.selectFrom('audit_log').selectAll().where('seq', '>', String(seq)).orderBy('seq').limit(limit).execute();
}
