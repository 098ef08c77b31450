import { sql } from 'kysely';
import { SUBTREE_LEAVES } from '../rules/merkle.ts';
import { type ChainTransaction, readTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Db } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/visible-vaults.ts';

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
  /** The leaves of its subtree of the batch, in order. */
  readonly subtree: readonly string[];
  readonly root: string;
  readonly transaction: ChainTransaction;
}

/** An anchored fact with the transaction that carries it at present, or null. */
export async function findAnchoredFact(db: Db, factId: string): Promise<AnchoredFactLookup | null> {
  const row = await withCarrier(db).where('anchor_facts.id', '=', factId).executeTakeFirst();
  return row ? readFact(factId, row) : null;
}

/** An anchored fact with all transactions that were to carry it. */
export interface VisibleFact extends AnchoredFactLookup {
  /** Hashes of the earlier ones, oldest first. */
  readonly replaced: readonly string[];
}

/** An anchored fact; null also for one of a vault that the reader may not see. Facts stay when their vault is deleted (design D39). */
export async function findVisibleFact(db: Db, factId: string, scope: ReaderScope): Promise<VisibleFact | null> {
  const isVisible = sql<boolean>`(anchor_facts.vault_id is null
    or exists (select from vaults where vaults.id = anchor_facts.vault_id and ${visibleTo(scope)}))`;
  const replaced = sql<string[]>`array(select earlier.hash
    from anchor_attempts join chain_transactions earlier on earlier.id = anchor_attempts.transaction_id
    where anchor_attempts.batch_id = anchor_facts.batch_id and earlier.id <> chain_transactions.id
    order by earlier.created_at)`;
  const wanted = withCarrier(db).modifyFront(prepared).select(replaced.as('replaced'));
  const row = await wanted.where('anchor_facts.id', '=', factId).where(isVisible).executeTakeFirst();
  return row ? { ...readFact(factId, row), replaced: row.replaced } : null;
}

const firstOfSubtree = sql`(anchor_facts.position / ${sql.lit(SUBTREE_LEAVES)} * ${sql.lit(SUBTREE_LEAVES)})`;
const subtree = sql<string[]>`array(select near.leaf from anchor_facts near where near.batch_id = anchor_facts.batch_id
  and near.position >= ${firstOfSubtree} and near.position < ${firstOfSubtree} + ${sql.lit(SUBTREE_LEAVES)} order by near.position)`;

function withCarrier(db: Db) {
  return db
    .selectFrom('anchor_facts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'anchor_batches.transaction_id')
    .selectAll('chain_transactions')
    .select(['anchor_facts.position', 'anchor_facts.fact', 'anchor_facts.leaf', 'anchor_facts.batch_id'])
    .select(['anchor_facts.vault_id as fact_vault_id', 'anchor_batches.root', subtree.as('subtree')]);
}

type FactRow = Awaited<ReturnType<ReturnType<typeof withCarrier>['executeTakeFirstOrThrow']>>;

function readFact(factId: string, row: FactRow): AnchoredFactLookup {
  const { position, fact: text, leaf, root, batch_id: batchId, fact_vault_id: vaultId, subtree: near } = row;
  return { factId, vaultId, text, leaf, position, batchId, subtree: near, root, transaction: readTransaction(row) };
}

/** The text of a fact, and the hash of the transaction that carries it at present. */
export interface AnchoredFactTransaction extends Pick<AnchoredFact, 'text'> {
  readonly hash: string;
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

/** The leaves of a batch in order, in hex. */
export async function batchLeaves(db: Db, batchId: string): Promise<string[]> {
  const query = db.selectFrom('anchor_facts').select('leaf').where('batch_id', '=', batchId).orderBy('position');
  return (await query.execute()).map(({ leaf }) => leaf);
}
