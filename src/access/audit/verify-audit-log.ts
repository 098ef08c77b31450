import { blake2b256 } from '../../cardano/blake2b.ts';
import { anchorLabel } from '../../cardano/build/anchor.ts';
import type { Ledger } from '../../cardano/ledger/ledger.ts';
import { type AuditHead, parseAuditHead } from '../../anchoring/rules/audit-head.ts';
import { leafOf, merkleTree } from '../../anchoring/rules/merkle.ts';
import { type ChainVerdict, verifyAuditChain } from './verify-audit-chain.ts';
import { factsUnderRoot } from '../../anchoring/queries/anchor-batches.ts';
import { auditAnchorsAfter } from '../../anchoring/queries/audit-anchors.ts';
import type { Db } from '../../platform/database/database.ts';
import { requirePlatform } from '../actor.ts';

/** The result of comparing the audit log with the ledger. */
export type LedgerVerdict =
  | { readonly kind: 'compared'; readonly chain: ChainVerdict; readonly anchors: number }
  /** The platform has put a root on the ledger, and Postgres does not have the facts under it. */
  | { readonly kind: 'facts_changed'; readonly transactionHash: string }
  /** The anchor of an entry is in a block by Postgres, and not by the ledger. */
  | { readonly kind: 'anchor_missing'; readonly seq: string };

type Context = { readonly db: Db; readonly ledger: Pick<Ledger, 'metadataOf' | 'transactionUtxos'> };

/**
 * Compares the whole audit log with every anchor of the platform on the ledger. Nothing that was anchored can be changed or removed
 * unnoticed, even by somebody who can write to every table. Throws LEDGER_UNAVAILABLE, SERVICE_NOT_READY.
 */
export async function verifyAuditLogByLedger(context: Context): Promise<LedgerVerdict> {
  const { db, ledger } = context;
  const recorded = await auditAnchorsAfter(db, 0n, { landed: true });
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
