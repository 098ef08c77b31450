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

/** The end of what was checked of the audit chain. */
interface CheckedEnd {
  /** 0 before the first entry. */
  readonly seq: string;
  readonly hash: string;
}

/** The result of checking a part of the audit chain: how far it is intact, or where and how it is broken. */
export type ChainVerdict =
  | { readonly intact: true; readonly entries: number; readonly end: CheckedEnd; readonly isComplete: boolean }
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

/**
 * Reads up to `limit` entries after the number `after` and checks that no entry was changed, removed or inserted. Entries that are
 * not yet chained are not checked. Entries removed at the end are noticed by comparing the end with one that was noted before.
 */
export async function verifyAuditChain(db: Db, { after = 0n, limit = Infinity } = {}): Promise<ChainVerdict> {
  let end = await startOf(db, after);
  if (!end) return { intact: false, seq: String(after), reason: 'entry_missing' };
  let entries = 0;
  for await (const entry of entriesAfter(db, after, limit)) {
    const reason = problemOf(entry, end);
    if (reason) return { intact: false, seq: String(BigInt(end.seq) + 1n), reason };
    end = { seq: entry.seq ?? '', hash: entry.hash ?? '' };
    entries += 1;
  }
  return { intact: true, entries, end, isComplete: entries < limit };
}

async function* entriesAfter(db: Db, after: bigint, limit: number): AsyncGenerator<ChainedEntry> {
  let from = after;
  for (let left = limit; left > 0; left -= PAGE) {
    const page = await chainedEntriesAfter(db, from, Math.min(PAGE, left));
    yield* page;
    from = BigInt(page.at(-1)?.seq ?? from);
    if (page.length < PAGE) return;
  }
}

async function startOf(db: Db, seq: bigint): Promise<CheckedEnd | null> {
  if (seq === 0n) return { seq: '0', hash: FIRST };
  const [entry] = await chainedEntriesAfter(db, seq - 1n, 1);
  return entry?.seq === String(seq) ? { seq: entry.seq, hash: entry.hash ?? '' } : null;
}

function problemOf(entry: ChainedEntry, { seq, hash }: CheckedEnd) {
  const expected = String(BigInt(seq) + 1n);
  if (entry.seq !== expected) return 'entry_missing';
  if (entry.previous_hash !== hash) return 'link_changed';
  return entry.hash === entryHash(entry, expected, hash) ? null : 'entry_changed';
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
