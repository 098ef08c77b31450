import { requirePlatform } from './acting-wallet.ts';
import { auditChainEnd, chainedEntriesAfter, type ChainedEntry, entryHash, FIRST_HASH } from './queries/audit-log.ts';
import { factsUnderRoot } from '../anchoring/queries/anchor-batches.ts';
import { isAuditAnchorDue, recordAuditAnchor, auditAnchorsAfter } from '../anchoring/queries/audit-anchors.ts';
import { auditHeadPayload, type AuditHead, parseAuditHead, leafOf, merkleTree } from '../anchoring/rules/merkle.ts';
import { blake2b256 } from '../cardano/blake2b.ts';
import { anchorLabel } from '../cardano/build/anchor.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { ServiceContext } from '../context.ts';
import type { Db } from '../platform/database/database.ts';

/** An anchor costs a fee, so entries wait for each other. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Anchors the end of the audit chain when an entry has waited for that for an hour of real time: whoever has the database can rewrite the
 * chain, but not the ledger.
 */
export async function anchorAuditLog({ db, anchors }: ServiceContext, longestWaitMs = LONGEST_WAIT_MS): Promise<void> {
  if (!(await isAuditAnchorDue(db, longestWaitMs))) return;
  await anchors.record(async (context) => {
    const { seq, hash } = await auditChainEnd(context.tx);
    const factId = context.ids.next();
    // Another process may have anchored it meanwhile.
    if (hash === null || !(await recordAuditAnchor(context.tx, { seq: String(seq), hash, factId }))) return;
    await context.anchor({ factId, vaultId: null, fact: auditHeadPayload({ seq: String(seq), hash }) });
  });
}

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

/** The result of comparing the audit log with the ledger. */
type LedgerVerdict =
  | { readonly kind: 'compared'; readonly chain: ChainVerdict; readonly anchors: number }
  /** The platform has put a root on the ledger, and Postgres does not have the facts under it. */
  | { readonly kind: 'facts_changed'; readonly transactionHash: string }
  /** The anchor of an entry is in a block by Postgres, and not by the ledger. */
  | { readonly kind: 'anchor_missing'; readonly seq: string };

type Context = { readonly db: Db; readonly ledger: Pick<Ledger, 'metadataOf' | 'transactionUtxos'> };

/**
 * Compares the whole audit log with every anchor of the platform on the ledger. Nothing that was anchored can be changed or removed
 * unnoticed, even by somebody who can write to every table.
 */
export async function verifyAuditLogByLedger(context: Context): Promise<LedgerVerdict> {
  const { db, ledger } = context;
  const recorded = await auditAnchorsAfter(db, 0n, { confirmed: true });
  const heads: AuditHead[] = [];
  for await (const { txHash, metadata } of ledger.metadataOf(anchorLabel)) {
    const found = await headsUnder(db, metadata);
    if (found) heads.push(...found);
    else if (await isOfPlatform(context, txHash)) return { kind: 'facts_changed', transactionHash: txHash };
  }
  const missing = recorded.find(({ seq, hash }) => !heads.some((head) => head.seq === seq && head.hash === hash));
  if (missing) return { kind: 'anchor_missing', seq: missing.seq };
  return { kind: 'compared', chain: await verifyAuditChain(db, { heads }), anchors: heads.length };
}

/** The anchored ends of the audit log under a root; null when Postgres does not have the facts that make the root. */
async function headsUnder(db: Db, metadata: unknown): Promise<AuditHead[] | null> {
  const { root } = Object(metadata) as { readonly root?: unknown };
  const facts = typeof root === 'string' ? await factsUnderRoot(db, root) : [];
  if (facts.length === 0) return null;
  const leaves = facts.map((text) => leafOf(blake2b256, text));
  if (merkleTree(blake2b256, leaves).root !== root) return null;
  return facts.flatMap((text) => parseAuditHead(text) ?? []);
}

/** Whether the platform has sent a transaction. Anybody else may write a root of their own under the same label. */
async function isOfPlatform({ db, ledger }: Context, txHash: string): Promise<boolean> {
  const { operatorAddress } = await requirePlatform(db);
  const utxos = await ledger.transactionUtxos(txHash);
  return utxos?.inputs.some(({ address }) => address === operatorAddress) === true;
}
