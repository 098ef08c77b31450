import { type OperationNodeSource, type Selectable, sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import type { Ids } from '../../platform/units/ids.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { anchorSubmitterWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { currentUtcDate } from '../../operations/queries.ts';
import { executeAsOne } from '../../platform/database/statements.ts';
import { readStoredUtxo, storedUtxo } from '../../platform/database/stored-json.ts';
import type { AnchorChainsTable } from '../../platform/database/tables/ledger.ts';
import { enqueueWorkflowMessage } from '../../platform/temporal/workflow-outbox.ts';

/** The process that may put batches into an anchor chain, and until when by wall time. */
export interface AnchorChainHolder {
  readonly holder: string;
  readonly until: Instant;
}

/** An anchor chain as its holder finds it. */
interface HeldAnchorChain {
  /** The output that its next anchor spends. */
  readonly tip: Utxo;
  /** What its anchors have cost today. */
  readonly spentToday: Lovelace;
}

/** Renews the lease of an anchor chain, locks it and returns its rows: none when another process holds the anchor chain. */
export async function renewAnchorChainLease(
  tx: Transaction,
  anchorChainId: string,
  { holder, until }: AnchorChainHolder,
): Promise<AnchorChainRow[]> {
  return tx
    .updateTable('anchor_chains')
    .set({ held_until: new Date(until) })
    .where('id', '=', anchorChainId)
    .where('holder', '=', holder)
    .returning(['id', 'tip', spentTodayColumn.as('spent_today')])
    .execute();
}

interface AnchorChainRow extends Pick<Selectable<AnchorChainsTable>, 'id' | 'tip'> {
  readonly spent_today: string;
}

/** Reads a row of `renewAnchorChainLease`. */
export function readAnchorChain({ id, tip, spent_today: spent }: AnchorChainRow): HeldAnchorChain {
  return decodeRow('anchor_chains', id, () => ({ tip: readStoredUtxo(tip), spentToday: lovelace(BigInt(spent)) }));
}

const spentTodayColumn = sql<string>`case when spent_on = ${currentUtcDate} then spent else 0 end`;

/** What the anchors of all anchor chains have cost today. */
export async function spentOnAnchorsToday(db: Db): Promise<Lovelace> {
  const query = db.selectFrom('anchor_chains').select(sql<string>`coalesce(sum(${spentTodayColumn}), 0)`.as('spent'));
  return lovelace(BigInt((await query.executeTakeFirstOrThrow()).spent));
}

/**
 * Locks an anchor chain and returns its tip, for a caller that repairs the anchor chain and does not hold it. Who ends an anchor may return its inputs to
 * the anchor chain meanwhile: they have locked the anchor, for which this caller waits next.
 */
export async function lockAnchorChain(tx: Transaction, anchorChainId: string): Promise<Utxo> {
  const row = await tx
    .selectFrom('anchor_chains')
    .select('tip')
    .where('id', '=', anchorChainId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return readStoredUtxo(row.tip);
}

/** Takes an anchor chain that no process holds, or whose lease has ended; returns null when there is none. */
export async function takeFreeAnchorChain(
  db: Db,
  { holder, until }: AnchorChainHolder,
  now: Instant,
): Promise<string | null> {
  const row = await db
    .updateTable('anchor_chains')
    .set({ holder, held_until: new Date(until) })
    .where('id', '=', (anchorChains) =>
      anchorChains
        .selectFrom('anchor_chains')
        .select('id')
        .where((free) => free.or([free('holder', 'is', null), free('held_until', '<=', new Date(now))]))
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Opens an anchor chain on an output of the operator and starts its workflow; returns false when a transaction holds the output. */
export async function openAnchorChain(
  tx: Transaction,
  ids: Ids,
  { id, holder, until, tip }: AnchorChainHolder & { id: string; tip: Utxo },
): Promise<boolean> {
  const held = { holder, held_until: new Date(until) };
  await tx
    .insertInto('anchor_chains')
    .values({ id, ...held, tip: JSON.stringify(storedUtxo(tip)) })
    .execute();
  if (!(await leaseInsert(tx, id, tip).executeTakeFirst())) {
    await tx.deleteFrom('anchor_chains').where('id', '=', id).execute();
    return false;
  }
  await enqueueWorkflowMessage({ tx, ids }, anchorSubmitterWorkflowId(id), {
    kind: 'start',
    workflow: 'anchorSubmitter',
    anchorChainId: id,
  });
  return true;
}

/**
 * Sets the output that the next anchor of an anchor chain spends, and leases it. No other transaction can know the output yet. The anchor chain has spent
 * nothing: the anchor replaces one that can never be confirmed.
 */
export async function setAnchorChainTip(tx: Transaction, anchorChainId: string, tip: Utxo): Promise<void> {
  await executeAsOne(tx, anchorChainTipChanges(tx, anchorChainId, { tip, fee: lovelace(0n) }));
}

/** The statements of `setAnchorChainTip` for an anchor that replaces none: its fee is spent. */
export function anchorChainTipChanges(
  tx: Transaction,
  anchorChainId: string,
  { tip, fee }: { readonly tip: Utxo; readonly fee: Lovelace },
): OperationNodeSource[] {
  const changes = {
    tip: JSON.stringify(storedUtxo(tip)),
    spent_on: currentUtcDate,
    spent: sql<string>`${spentTodayColumn} + ${fee}`,
  };
  return [
    tx.updateTable('anchor_chains').set(changes).where('id', '=', anchorChainId),
    leaseInsert(tx, anchorChainId, tip),
  ];
}

/** Releases an anchor chain that the process still holds, so that another process can take it at once. */
export async function releaseAnchorChain(db: Db, anchorChainId: string, holder: string): Promise<void> {
  await db
    .updateTable('anchor_chains')
    .set({ holder: null })
    .where('id', '=', anchorChainId)
    .where('holder', '=', holder)
    .execute();
}

/** Returns the inputs of an ended anchor to its anchor chain, so that its replacement spends the same inputs. */
export async function returnInputsToAnchorChain(tx: Transaction, transactionId: string): Promise<void> {
  const anchorChain = tx
    .selectFrom('anchor_attempts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_attempts.batch_id')
    .select('anchor_batches.anchor_chain_id')
    .where('anchor_attempts.transaction_id', '=', transactionId);
  await tx
    .updateTable('utxo_leases')
    .set({ anchor_chain_id: anchorChain, transaction_id: null })
    .where('transaction_id', '=', transactionId)
    .execute();
}

function leaseInsert(tx: Transaction, anchorChainId: string, { txHash, index }: Utxo) {
  return tx
    .insertInto('utxo_leases')
    .values({ tx_hash: txHash, output_index: index, transaction_id: null, anchor_chain_id: anchorChainId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('tx_hash');
}
