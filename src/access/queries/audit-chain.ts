import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { rowsAfter } from '../../platform/database/page.ts';
import type { AuditLogTable } from '../../platform/database/tables/outbox.ts';

/** An entry of the audit log. */
export type ChainedEntry = Selectable<AuditLogTable>;

/** The last entry of the audit chain. */
export interface ChainEnd {
  readonly seq: bigint;
  readonly hash: string | null;
}

/** The position of an entry in the audit chain. */
export interface ChainLink {
  readonly id: string;
  readonly seq: bigint;
  readonly previousHash: string;
  readonly hash: string;
}

/** The end of the audit chain; sequence number 0 and no hash before the first entry. */
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

/** The oldest audit entries that are not in the chain yet. */
export async function unchainedEntries(tx: Transaction, limit: number): Promise<ChainedEntry[]> {
  const { rows } = await sql<ChainedEntry>`
    select * from audit_log where seq is null order by recorded limit ${limit}
  `.execute(tx);
  return rows;
}

export async function chainEntries(tx: Transaction, links: readonly ChainLink[]): Promise<void> {
  await sql`
    update audit_log set seq = link.seq, previous_hash = link.previous_hash, hash = link.hash, chained_at = now()
    from unnest(
      ${links.map(({ id }) => id)}::uuid[], ${links.map(({ seq }) => seq)}::bigint[],
      ${links.map(({ previousHash }) => previousHash)}::text[], ${links.map(({ hash }) => hash)}::text[]
    ) as link (id, seq, previous_hash, hash)
    where audit_log.id = link.id
  `.execute(tx);
}

/** The chained entries after `seq`, in order. */
export async function chainedEntriesAfter(db: Db, seq: bigint, limit: number): Promise<ChainedEntry[]> {
  const chained = db.selectFrom('audit_log').selectAll();
  return rowsAfter(chained, { columns: ['seq'], after: [String(seq)], limit }).execute();
}
