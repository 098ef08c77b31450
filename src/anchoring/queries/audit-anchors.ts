import { sql } from 'kysely';
import type { AuditHead } from '../rules/merkle.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';

/** An anchored entry of the audit chain, and the fact that its anchor carries. */
export interface AuditAnchor extends AuditHead {
  readonly factId: string;
}

/** Whether an entry was chained so long ago, in real time, and no anchor covers it. */
export async function isAuditAnchorDue(db: Db, waitedMs: number): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (
      select from audit_log where seq = (select coalesce(max(seq), 0) + 1 from audit_anchors)
        and coalesce(chained_at, '-infinity') <= now() - ${waitedMs} * interval '1 millisecond'
    ) as due
  `.execute(db);
  return rows[0]?.due === true;
}

/** Stores an anchored entry; returns false when it is stored already. */
export async function recordAuditAnchor(tx: Transaction, { seq, hash, factId }: AuditAnchor): Promise<boolean> {
  const stored = await tx
    .insertInto('audit_anchors')
    .values({ seq: BigInt(seq), hash, fact_id: factId })
    .onConflict((conflict) => conflict.column('seq').doNothing())
    .returning('seq')
    .executeTakeFirst();
  return stored !== undefined;
}

/** The anchored entries after `seq`, in order; only those whose anchor is in a block when `confirmed` is set. */
export async function auditAnchorsAfter(db: Db, seq: bigint, { confirmed = false } = {}): Promise<AuditAnchor[]> {
  const rows = await db
    .selectFrom('audit_anchors')
    .selectAll('audit_anchors')
    .$if(confirmed, (query) =>
      query
        .innerJoin('anchor_facts', 'anchor_facts.id', 'audit_anchors.fact_id')
        .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
        .where('anchor_batches.confirmed', '=', true),
    )
    .where('audit_anchors.seq', '>', String(seq))
    .orderBy('audit_anchors.seq')
    .execute();
  return rows.map(({ fact_id: factId, ...head }) => ({ ...head, factId }));
}
