import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/anchor/canonical-json.ts';
import { instant, isoText } from '../domain/units/instant.ts';
import type { Transaction } from '../store/database.ts';
import { auditChainEnd, chainEntries, type ChainedEntry, unchainedEntries } from '../store/audit-chain.ts';

/** The hash before the first entry. */
export const FIRST_HASH = '0'.repeat(64);

/** Adds the oldest entries of the audit log to its chain; returns how many. The caller holds the numbering lock. */
export async function extendAuditChain(tx: Transaction, limit: number): Promise<number> {
  const entries = await unchainedEntries(tx, limit);
  if (entries.length === 0) return 0;
  const end = await auditChainEnd(tx);
  let previousHash = end.hash ?? FIRST_HASH;
  const links = entries.map((entry, index) => {
    const seq = end.seq + BigInt(index + 1);
    const link = { id: entry.id, seq, previousHash, hash: entryHash(entry, String(seq), previousHash) };
    previousHash = link.hash;
    return link;
  });
  await chainEntries(tx, links);
  return links.length;
}

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
