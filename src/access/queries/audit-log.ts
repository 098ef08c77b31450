import { bulkInsert } from '../../platform/database/bulk-insert.ts';
import type { ChainedEntry } from './audit-chain.ts';
import type { Db } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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
export interface AuditFilter {
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
