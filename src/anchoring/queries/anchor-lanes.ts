import { type OperationNodeSource, type Selectable, sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import type { Ids } from '../../platform/units/ids.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { anchorLaneWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { realDay } from '../../operations/queries.ts';
import { executeAsOne } from '../../platform/database/statements.ts';
import { readStoredUtxo, storedUtxo } from '../../platform/database/stored-json.ts';
import type { AnchorLanesTable } from '../../platform/database/tables/ledger.ts';
import { enqueueWorkflowMessage } from '../../platform/temporal/workflow-outbox.ts';

/** The process that may put batches into a lane, and until when by wall time. */
export interface LaneHolder {
  readonly holder: string;
  readonly until: Instant;
}

/** A lane as its holder finds it. */
interface HeldLane {
  /** The output that its next anchor spends. */
  readonly tip: Utxo;
  /** What its anchors have cost today. */
  readonly spentToday: Lovelace;
}

/** Renews the lease of a lane, locks it and returns its rows: none when another process holds the lane. */
export async function renewLaneLease(
  tx: Transaction,
  laneId: string,
  { holder, until }: LaneHolder,
): Promise<LaneRow[]> {
  return tx
    .updateTable('anchor_lanes')
    .set({ held_until: new Date(until) })
    .where('id', '=', laneId)
    .where('holder', '=', holder)
    .returning(['id', 'tip', spentTodayColumn.as('spent_today')])
    .execute();
}

interface LaneRow extends Pick<Selectable<AnchorLanesTable>, 'id' | 'tip'> {
  readonly spent_today: string;
}

/** Reads a row of `renewLaneLease`. */
export function readLane({ id, tip, spent_today: spent }: LaneRow): HeldLane {
  return decodeRow('anchor_lanes', id, () => ({ tip: readStoredUtxo(tip), spentToday: lovelace(BigInt(spent)) }));
}

const spentTodayColumn = sql<string>`case when spent_on = ${realDay} then spent else 0 end`;

/** What the anchors of all lanes have cost today. */
export async function spentByLanesToday(db: Db): Promise<Lovelace> {
  const query = db.selectFrom('anchor_lanes').select(sql<string>`coalesce(sum(${spentTodayColumn}), 0)`.as('spent'));
  return lovelace(BigInt((await query.executeTakeFirstOrThrow()).spent));
}

/**
 * Locks a lane and returns its tip, for a caller that repairs the lane and does not hold it. Who ends an anchor may return its inputs to
 * the lane meanwhile: they have locked the anchor, for which this caller waits next.
 */
export async function lockLane(tx: Transaction, laneId: string): Promise<Utxo> {
  const row = await tx
    .selectFrom('anchor_lanes')
    .select('tip')
    .where('id', '=', laneId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return readStoredUtxo(row.tip);
}

/** Takes a lane that no process holds, or whose lease has ended; returns null when there is none. */
export async function takeFreeLane(db: Db, { holder, until }: LaneHolder, now: Instant): Promise<string | null> {
  const row = await db
    .updateTable('anchor_lanes')
    .set({ holder, held_until: new Date(until) })
    .where('id', '=', (lanes) =>
      lanes
        .selectFrom('anchor_lanes')
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

/** Opens a lane on an output of the operator and starts its workflow; returns false when a transaction holds the output. */
export async function openLane(
  tx: Transaction,
  ids: Ids,
  { id, holder, until, tip }: LaneHolder & { id: string; tip: Utxo },
): Promise<boolean> {
  const held = { holder, held_until: new Date(until) };
  await tx
    .insertInto('anchor_lanes')
    .values({ id, ...held, tip: JSON.stringify(storedUtxo(tip)) })
    .execute();
  if (!(await leaseInsert(tx, id, tip).executeTakeFirst())) {
    await tx.deleteFrom('anchor_lanes').where('id', '=', id).execute();
    return false;
  }
  await enqueueWorkflowMessage({ tx, ids }, anchorLaneWorkflowId(id), {
    kind: 'start',
    workflow: 'anchorLane',
    laneId: id,
  });
  return true;
}

/**
 * Sets the output that the next anchor of a lane spends, and leases it. No other transaction can know the output yet. The lane has spent
 * nothing: the anchor replaces one that can never land.
 */
export async function setLaneTip(tx: Transaction, laneId: string, tip: Utxo): Promise<void> {
  await executeAsOne(tx, laneTipChanges(tx, laneId, { tip, fee: lovelace(0n) }));
}

/** The statements of `setLaneTip` for an anchor that replaces none: its fee is spent. */
export function laneTipChanges(
  tx: Transaction,
  laneId: string,
  { tip, fee }: { readonly tip: Utxo; readonly fee: Lovelace },
): OperationNodeSource[] {
  const changes = {
    tip: JSON.stringify(storedUtxo(tip)),
    spent_on: realDay,
    spent: sql<string>`${spentTodayColumn} + ${fee}`,
  };
  return [tx.updateTable('anchor_lanes').set(changes).where('id', '=', laneId), leaseInsert(tx, laneId, tip)];
}

/** Releases a lane that the process still holds, so that another process can take it at once. */
export async function releaseLane(db: Db, laneId: string, holder: string): Promise<void> {
  await db
    .updateTable('anchor_lanes')
    .set({ holder: null })
    .where('id', '=', laneId)
    .where('holder', '=', holder)
    .execute();
}

/** Returns the inputs of an ended anchor to its lane, so that its replacement spends the same inputs. */
export async function returnInputsToLane(tx: Transaction, transactionId: string): Promise<void> {
  const lane = tx
    .selectFrom('anchor_attempts')
    .innerJoin('anchor_batches', 'anchor_batches.id', 'anchor_attempts.batch_id')
    .select('anchor_batches.lane_id')
    .where('anchor_attempts.transaction_id', '=', transactionId);
  await tx
    .updateTable('utxo_leases')
    .set({ lane_id: lane, transaction_id: null })
    .where('transaction_id', '=', transactionId)
    .execute();
}

function leaseInsert(tx: Transaction, laneId: string, { txHash, index }: Utxo) {
  return tx
    .insertInto('utxo_leases')
    .values({ tx_hash: txHash, output_index: index, transaction_id: null, lane_id: laneId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('tx_hash');
}
