import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/anchor/canonical-json.ts';
import { instant, isoText } from '../domain/units/instant.ts';
import type { Db, Transaction } from '../store/database.ts';
import {
  auditChainEnd,
  chainedEntriesAfter,
  chainEntries,
  type ChainedEntry,
  unchainedEntries,
} from '../store/audit-chain.ts';

const FIRST = '0'.repeat(64);
const PAGE = 1000;

/** The result of checking the audit chain: its length if it is intact, else where and how it is broken. */
export type ChainVerdict =
  | { readonly intact: true; readonly entries: number }
  | {
      readonly intact: false;
      readonly seq: string;
      readonly reason: 'entry_missing' | 'entry_changed' | 'link_changed';
    };

/** Adds the oldest entries of the audit log to its chain; returns how many. The caller holds the numbering lock. */
export async function extendAuditChain(tx: Transaction, limit: number): Promise<number> {
  const entries = await unchainedEntries(tx, limit);
  if (entries.length === 0) return 0;
  const end = await auditChainEnd(tx);
  let previousHash = end.hash ?? FIRST;
  const links = entries.map((entry, index) => {
    const seq = end.seq + BigInt(index + 1);
    const link = { id: entry.id, seq, previousHash, hash: entryHash(entry, String(seq), previousHash) };
    previousHash = link.hash;
    return link;
  });
  await chainEntries(tx, links);
  return links.length;
}

/** Reads the whole chain and checks that no entry was changed, removed or inserted. Entries not yet chained are not checked. */
export async function verifyAuditChain(db: Db): Promise<ChainVerdict> {
  let seq = 0n;
  let previousHash = FIRST;
  for (;;) {
    const page = await chainedEntriesAfter(db, seq, PAGE);
    for (const entry of page) {
      seq += 1n;
      if (entry.seq !== String(seq)) return { intact: false, seq: String(seq), reason: 'entry_missing' };
      if (entry.previous_hash !== previousHash) return { intact: false, seq: entry.seq, reason: 'link_changed' };
      const hash = entryHash(entry, entry.seq, previousHash);
      if (entry.hash !== hash) return { intact: false, seq: entry.seq, reason: 'entry_changed' };
      previousHash = hash;
    }
    if (page.length < PAGE) return { intact: true, entries: Number(seq) };
  }
}

/** SHA-256 of the canonical JSON of an entry, its number and the hash before it, in hex. */
function entryHash(entry: ChainedEntry, seq: string, previousHash: string): string {
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
