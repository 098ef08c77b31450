import { sql } from 'kysely';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db } from './database.ts';

/** An anchored fact and its leaf. */
export interface AnchoredFact {
  readonly factId: string;
  readonly vaultId: string | null;
  /** The canonical text. */
  readonly text: string;
  /** Hex. */
  readonly leaf: string;
}

export interface AnchoredFactLookup extends AnchoredFact {
  readonly position: number;
  readonly batchId: string;
  readonly root: string;
  readonly transaction: ChainTransaction;
}

/** An anchored fact with the transaction that carries it at present, or null. */
export async function findAnchoredFact(db: Db, factId: string): Promise<AnchoredFactLookup | null> {
  const row = await db
    .selectFrom('anchor_facts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'anchor_batches.transaction_id')
    .selectAll('chain_transactions')
    .select(['anchor_facts.position', 'anchor_facts.fact', 'anchor_facts.leaf', 'anchor_facts.batch_id'])
    .select(['anchor_facts.vault_id as fact_vault_id', 'anchor_batches.root'])
    .where('anchor_facts.id', '=', factId)
    .executeTakeFirst();
  if (!row) return null;
  const { position, fact: text, leaf, root, batch_id: batchId, fact_vault_id: vaultId } = row;
  return { factId, vaultId, text, leaf, position, batchId, root, transaction: readTransaction(row) };
}

/** The text of a fact, and the hash of the transaction that carries it at present. */
export interface AnchoredFactTransaction extends Pick<AnchoredFact, 'text'> {
  readonly hash: string;
}

/** Anchored facts by their ids. */
export async function factTransactions(
  db: Db,
  factIds: readonly string[],
): Promise<ReadonlyMap<string, AnchoredFactTransaction>> {
  if (factIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; text: string; hash: string }>`
    select f.id, f.fact as text, t.hash from anchor_facts f
      join anchor_batches b on b.id = f.batch_id
      join chain_transactions t on t.id = b.transaction_id
    where f.id = any(${factIds}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, ...carried }) => [id, carried]));
}

/** The texts of the facts under a Merkle root, in order; empty when no batch has the root. */
export async function factsUnderRoot(db: Db, root: string): Promise<string[]> {
  const rows = await db
    .selectFrom('anchor_facts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
    .select('anchor_facts.fact')
    .where('anchor_batches.root', '=', root)
    .orderBy('anchor_facts.batch_id')
    .orderBy('anchor_facts.position')
    .execute();
  return rows.map(({ fact }) => fact);
}

/** The leaves of a batch in order, in hex; all, or `count` from the position `first`. */
export async function batchLeaves(
  db: Db,
  batchId: string,
  range?: { readonly first: number; readonly count: number },
): Promise<string[]> {
  const all = db.selectFrom('anchor_facts').select('leaf').where('batch_id', '=', batchId).orderBy('position');
  const some = range && all.where('position', '>=', range.first).where('position', '<', range.first + range.count);
  const rows = await (some ?? all).execute();
  return rows.map(({ leaf }) => leaf);
}
