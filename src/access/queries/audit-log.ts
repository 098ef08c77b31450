import { type Selectable, sql } from 'kysely';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../anchoring/rules/merkle.ts';
import { bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage, rowsAfter } from '../../platform/database/page.ts';
import type { AuditLogTable } from '../../platform/database/tables/platform.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { instant, isoText } from '../../platform/units/time.ts';

/** Who did what to what (spec, Authentication 8). The sequencer chains the entries by hash after commit. */
export interface AuditEntry {
  action: string;
  actor: { id: string; type: 'API_KEY' | 'WALLET' | 'SYSTEM' };
  resource: { type: string; id: string };
  metadata: Readonly<Record<string, unknown>>;
}

export async function recordAudit(context: TransactionContext, entry: AuditEntry): Promise<void> {
  await auditInsert(context, [entry]).execute();
}

/** The statement of `recordAudit`, for many entries; chained in this order. */
export function auditInsert({ tx, ids, now }: TransactionContext, entries: readonly AuditEntry[]) {
  const rows = entries.map((entry) => ({
    id: ids.next(),
    action: entry.action,
    actor_id: entry.actor.id,
    actor_type: entry.actor.type,
    resource_type: entry.resource.type,
    resource_id: entry.resource.id,
    metadata: JSON.stringify(entry.metadata),
    at: new Date(now),
  }));
  return bulkInsert(tx, 'audit_log', columns, rows);
}

const columns = {
  id: 'uuid',
  action: 'text',
  actor_id: 'text',
  actor_type: 'text',
  resource_type: 'text',
  resource_id: 'text',
  metadata: 'jsonb',
  at: 'timestamptz',
} as const;

/** Which entries are wanted; a field that is undefined matches every entry. */
interface AuditFilter {
  readonly actorId: string | undefined;
  readonly resourceType: string | undefined;
  readonly resourceId: string | undefined;
  readonly action: string | undefined;
  /** Inclusive start and exclusive end of the time. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export async function listAuditLog(
  db: Db,
  { actorId, resourceType, resourceId, action, from, to }: AuditFilter,
  page: Page<'timestamp'>,
): Promise<{ entries: ChainedEntry[]; count: PageCount }> {
  const equal = { actor_id: actorId, resource_type: resourceType, resource_id: resourceId, action };
  const matching = db
    .selectFrom('audit_log')
    .where((row) => row.and(givenFields(equal)))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? null))
    .$if(to !== undefined, (query) => query.where('at', '<', to ?? null));
  const order = { columns: { timestamp: 'at' }, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  return { entries: rows, count };
}

/** An entry of the audit log. */
export type ChainedEntry = Selectable<AuditLogTable>;

/** The last entry of the audit chain. */
interface ChainEnd {
  readonly seq: bigint;
  readonly hash: string | null;
}

/** The position of an entry in the audit chain. */
interface ChainLink {
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

/** The hash before the first entry. */
export const FIRST_HASH = '0'.repeat(64);

/** SHA-256 of the canonical JSON of an entry, its number and the hash before it, in hex. */
export function entryHash(entry: ChainedEntry, seq: string, previousHash: string): string {
  const text = canonicalJson({
    seq,
    id: entry.id,
    action: entry.action,
    actor: { id: entry.actor_id, type: entry.actor_type },
    resource: { type: entry.resource_type, id: entry.resource_id },
    metadata: entry.metadata,
    at: isoText(instant(entry.at)),
    previousHash,
  });
  return createHash('sha256').update(text).digest('hex');
}
