import type { AuditHead } from '../../anchoring/rules/audit-head.ts';
import { chainedEntriesAfter, type ChainedEntry } from '../queries/audit-chain.ts';
import type { Db } from '../../platform/database/database.ts';
import { entryHash, FIRST_HASH } from '../queries/audit-entry-hash.ts';

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
      readonly reason: 'entry_missing' | 'entry_changed' | 'link_changed' | 'anchor_differs';
    };

interface ChainPart {
  /** Number of the entry before the first one. */
  readonly after?: bigint;
  readonly limit?: number;
  /** Entries as they were anchored, after `after`. */
  readonly heads?: readonly AuditHead[];
}

/**
 * Reads up to `limit` entries after the number `after` and checks that no entry was changed, removed or inserted, and that those that were
 * anchored are as they were. Entries that are not yet chained are not checked.
 */
export async function verifyAuditChain(db: Db, part: ChainPart = {}): Promise<ChainVerdict> {
  const { after = 0n, limit = Infinity, heads = [] } = part;
  const anchored = Map.groupBy(heads, ({ seq }) => seq);
  let end = await startOf(db, after);
  if (!end) return { intact: false, seq: String(after), reason: 'entry_missing' };
  let entries = 0;
  for await (const entry of entriesAfter(db, after, limit)) {
    const reason = problemOf(entry, end, anchored);
    if (reason) return { intact: false, seq: numberAfter(end), reason };
    end = endAt(entry);
    entries += 1;
  }
  const isComplete = entries < limit;
  if (isComplete && isCutOff(end, heads)) return { intact: false, seq: numberAfter(end), reason: 'entry_missing' };
  return { intact: true, entries, end, isComplete };
}

/** Whether a later entry was anchored than the last one. */
function isCutOff({ seq: last }: CheckedEnd, heads: readonly AuditHead[]): boolean {
  return heads.some(({ seq }) => BigInt(seq) > BigInt(last));
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
  if (seq === 0n) return { seq: '0', hash: FIRST_HASH };
  const [entry] = await chainedEntriesAfter(db, seq - 1n, 1);
  return entry?.seq === String(seq) ? endAt(entry) : null;
}

function endAt({ seq, hash }: ChainedEntry): CheckedEnd {
  return { seq: seq ?? '', hash: hash ?? '' };
}

function numberAfter({ seq }: CheckedEnd): string {
  return String(BigInt(seq) + 1n);
}

type AnchoredEntries = ReadonlyMap<string, readonly AuditHead[]>;

function problemOf(entry: ChainedEntry, { seq, hash }: CheckedEnd, anchored: AnchoredEntries) {
  const expected = numberAfter({ seq, hash });
  if (entry.seq !== expected) return 'entry_missing';
  if (entry.previous_hash !== hash) return 'link_changed';
  return entry.hash === entryHash(entry, expected, hash) ? anchorProblemOf(entry, anchored) : 'entry_changed';
}

function anchorProblemOf({ seq, hash }: ChainedEntry, anchored: AnchoredEntries) {
  const heads = anchored.get(seq ?? '') ?? [];
  return heads.every((head) => head.hash === hash) ? null : 'anchor_differs';
}
