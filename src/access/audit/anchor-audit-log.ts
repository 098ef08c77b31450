import { auditHeadPayload } from '../../anchoring/rules/audit-head.ts';
import { isAuditAnchorDue, recordAuditAnchor } from '../../anchoring/queries/audit-anchors.ts';
import { auditChainEnd } from '../queries/audit-chain.ts';
import type { ServiceContext } from '../../context.ts';

/** An anchor costs a fee, so entries wait for each other. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Anchors the end of the audit chain when an entry has waited for that for an hour of real time: whoever has the database can rewrite the
 * chain, but not the ledger. Throws SERVICE_NOT_READY.
 */
export async function anchorAuditLog(
  { db, anchors }: Pick<ServiceContext, 'db' | 'anchors'>,
  longestWaitMs = LONGEST_WAIT_MS,
): Promise<void> {
  if (!(await isAuditAnchorDue(db, longestWaitMs))) return;
  await anchors.record(async (context) => {
    const { seq, hash } = await auditChainEnd(context.tx);
    const factId = context.ids.next();
    // Another process may have anchored it meanwhile.
    if (hash === null || !(await recordAuditAnchor(context.tx, { seq: String(seq), hash, factId }))) return;
    await context.anchor({ factId, vaultId: null, fact: auditHeadPayload({ seq: String(seq), hash }) });
  });
}
