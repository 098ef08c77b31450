import { type OperationNodeSource, sql } from 'kysely';
import type { BuiltTransaction } from '../../cardano/transaction.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { anchorSubmitterWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { type ChainTransaction, readTransaction } from '../../transactions/queries/transactions.ts';
import { recordTransaction } from '../../transactions/queries/recorded-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/viewed-vaults.ts';

/** Facts under one Merkle root, and the transaction that carries the root at present. */
export interface AnchorBatch {
  readonly id: string;
  /** Hex. */
  readonly root: string;
  readonly count: number;
  readonly transaction: ChainTransaction;
}

/** A transaction that spends the tip of an anchor chain and makes its next tip. */
export interface BuiltAnchor {
  readonly anchorChainId: string;
  readonly transactionId: string;
  readonly built: BuiltTransaction;
  readonly expiresAt: Instant;
}

/** Records an anchor, to which the leases of its anchor chain pass. Returns false, and records nothing, when another transaction holds an input. */
export async function recordAnchor(context: TransactionContext, anchor: BuiltAnchor): Promise<boolean> {
  const { anchorChainId, transactionId: id, built, expiresAt } = anchor;
  const ownerWorkflow = anchorSubmitterWorkflowId(anchorChainId);
  const record = { id, kind: 'anchor', vaultId: null, ownerWorkflow, signer: 'platform', wallet: null } as const;
  return (await recordTransaction(context, { ...record, anchorChainId, built, expiresAt })) === 'recorded';
}

/** The statements that store a batch with its facts; a recorded anchor carries its root. */
export function batchInserts(
  tx: Transaction,
  batch: { id: string; anchorChainId: string; transactionId: string; root: string },
  facts: readonly AnchoredFact[],
): OperationNodeSource[] {
  const { id, anchorChainId, transactionId, root } = batch;
  const row = { id, anchor_chain_id: anchorChainId, transaction_id: transactionId, root, facts: facts.length };
  // Arrays instead of parameters for each fact: a statement takes 65,535 parameters at most.
  const factInsert = sql`
    insert into anchor_facts (id, batch_id, position, vault_id, fact, leaf)
      select fact.id, ${id}, fact.position - 1, fact.vault_id, fact.fact, fact.leaf
      from unnest(
        ${facts.map(({ factId }) => factId)}::uuid[], ${facts.map(({ vaultId }) => vaultId)}::uuid[],
        ${facts.map(({ text }) => text)}::text[], ${facts.map(({ leaf }) => leaf)}::text[]
      ) with ordinality as fact (id, vault_id, fact, leaf, position)
  `;
  return [
    tx.insertInto('anchor_batches').values(row),
    tx.insertInto('anchor_attempts').values({ transaction_id: transactionId, batch_id: id }),
    factInsert,
  ];
}

/** Makes another transaction carry a batch; the earlier one stays readable, with its replacement. */
export async function replaceAnchor(tx: Transaction, batchId: string, transactionId: string): Promise<void> {
  await tx.insertInto('anchor_attempts').values({ transaction_id: transactionId, batch_id: batchId }).execute();
  await tx.updateTable('anchor_batches').set({ transaction_id: transactionId }).where('id', '=', batchId).execute();
}

/** The batches of an anchor chain that are not on the ledger, oldest first. */
export async function unconfirmedBatches(db: Db | Transaction, anchorChainId: string): Promise<AnchorBatch[]> {
  return (await unconfirmed(db, anchorChainId).execute()).map(readBatch);
}

/** Those of the unlanded batches whose transactions the ledger does not have: they are not sent yet, or have ended. */
export async function waitingBatches(db: Db, anchorChainId: string): Promise<AnchorBatch[]> {
  const query = unconfirmed(db, anchorChainId).where('chain_transactions.state', '!=', 'submitted');
  return (await query.execute()).map(readBatch);
}

/** What waits in all anchor chains, and since when by wall time; null when nothing does. */
export interface UnconfirmedAnchors {
  readonly count: number;
  readonly oldestSealedAt: Instant | null;
}

/** How many batches of all anchor chains are not on the ledger, and when the oldest of them was built: its id says so, whatever carries it now. */
export async function countUnconfirmedAnchors(db: Db): Promise<UnconfirmedAnchors> {
  const row = await db
    .selectFrom('anchor_batches')
    .select([sql<string>`count(*)`.as('count'), sql<Date | null>`min(uuid_extract_timestamp(id))`.as('oldest')])
    .where('confirmed', '=', false)
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), oldestSealedAt: row.oldest && instant(row.oldest) };
}

function unconfirmed(db: Db | Transaction, anchorChainId: string) {
  return db
    .selectFrom('anchor_batches')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'anchor_batches.transaction_id')
    .selectAll('chain_transactions')
    .select(['anchor_batches.id as batch_id', 'anchor_batches.root', 'anchor_batches.facts'])
    .where('anchor_batches.anchor_chain_id', '=', anchorChainId)
    .where('anchor_batches.confirmed', '=', false)
    .orderBy('anchor_batches.number');
}

function readBatch(row: Awaited<ReturnType<ReturnType<typeof unconfirmed>['execute']>>[number]): AnchorBatch {
  return { id: row.batch_id, root: row.root, count: row.facts, transaction: readTransaction(row) };
}

/** Records whether the transaction that carries a batch is in a block. */
export async function setConfirmed(tx: Transaction, transactionId: string, confirmed: boolean): Promise<void> {
  await tx.updateTable('anchor_batches').set({ confirmed }).where('transaction_id', '=', transactionId).execute();
}

/** The root that a transaction carries, and of how many facts; null when it carries none. */
export async function findAnchoredBatch(
  db: Db,
  transactionId: string,
): Promise<Pick<AnchorBatch, 'root' | 'count'> | null> {
  const query = db.selectFrom('anchor_batches').select(['root', 'facts as count']);
  return (await query.where('transaction_id', '=', transactionId).executeTakeFirst()) ?? null;
}

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
  const wanted = withCarrier(db).select(replaced.as('replaced'));
  const row = await wanted.where('anchor_facts.id', '=', factId).where(isVisible).executeTakeFirst();
  return row ? { ...readFact(factId, row), replaced: row.replaced } : null;
}

function withCarrier(db: Db) {
  return db
    .selectFrom('anchor_facts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_facts.batch_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'anchor_batches.transaction_id')
    .selectAll('chain_transactions')
    .select(['anchor_facts.position', 'anchor_facts.fact', 'anchor_facts.leaf', 'anchor_facts.batch_id'])
    .select(['anchor_facts.vault_id as fact_vault_id', 'anchor_batches.root']);
}

type FactRow = Awaited<ReturnType<ReturnType<typeof withCarrier>['executeTakeFirstOrThrow']>>;

function readFact(factId: string, row: FactRow): AnchoredFactLookup {
  const { position, fact: text, leaf, root, batch_id: batchId, fact_vault_id: vaultId } = row;
  return { factId, vaultId, text, leaf, position, batchId, root, transaction: readTransaction(row) };
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
  const query = db.selectFrom('anchor_facts').select('leaf').where('batch_id', '=', batchId);
  return (await query.orderBy('position').execute()).map(({ leaf }) => leaf);
}
