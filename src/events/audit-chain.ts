import type { Transaction } from '../platform/database/database.ts';
import { auditChainEnd, chainEntries, unchainedEntries } from '../access/queries/audit-chain.ts';
import { entryHash, FIRST_HASH } from '../access/queries/audit-entry-hash.ts';

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
