import { blake2b256 } from '../cardano/blake2b.ts';
import { buildAnchor } from '../cardano/build/anchor.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { instantOfSlot, slotAt } from '../cardano/ledger/slots.ts';
import { type BuiltTransaction, outputUtxo, type Utxo } from '../cardano/transaction.ts';
import { canonicalJson } from './rules/canonical-json.ts';
import { secondsAfter } from '../platform/units/instant.ts';
import { leafOf, merkleTree } from './rules/merkle.ts';
import { laneTipChanges } from './queries/anchor-lanes.ts';
import type { AnchoredFact } from './queries/anchor-facts.ts';
import { batchInserts, recordAnchor } from './queries/anchor-batches.ts';
import { executeAsOne } from '../platform/database/execute-as-one.ts';
import type { Platform } from '../operations/queries/operator-identity.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { workflowMessageInsert } from '../platform/temporal/workflow-outbox.ts';
import { anchorLaneWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { AnchorPayload } from './anchors.ts';

/** How long an anchor is valid; then it is built again. */
const LIFETIME_SECONDS = 2 * 3600;

/** What the anchor of a batch is built from. */
export interface AnchorInputs {
  readonly laneId: string;
  readonly platform: Platform;
  readonly chain: NetworkState;
  /** The tip of the lane, and an output that refills the lane. */
  readonly inputs: readonly Utxo[];
  /** How long the workflow of the lane is to hear nothing of it yet. */
  readonly wakeDelayMs: number;
}

/** Puts facts under one Merkle root and records the anchor that carries it, which is returned; null when another transaction spends an input. */
export async function seal(
  context: TransactionContext,
  anchorInputs: AnchorInputs,
  facts: readonly AnchorPayload[],
): Promise<BuiltTransaction | null> {
  const { laneId, platform, chain, inputs: lane, wakeDelayMs } = anchorInputs;
  const { tx, ids, now } = context;
  const hashed = facts.map(hashedFact);
  const leaves = hashed.map(({ leaf }) => leaf);
  const { root } = merkleTree(blake2b256, leaves);
  const ttlSlot = slotAt(chain.anchor, secondsAfter(now, LIFETIME_SECONDS));
  const operator = { address: platform.operatorAddress, keyHash: platform.operatorKeyHash };
  const built = buildAnchor(chain, { operator, lane, root, count: facts.length, ttlSlot });

  const transactionId = ids.next();
  const expiresAt = instantOfSlot(chain.anchor, ttlSlot);
  if (!(await recordAnchor(context, { laneId, transactionId, built, expiresAt }))) return null;
  const tip = outputUtxo(built, 0);
  await executeAsOne(tx, [
    ...batchInserts(tx, { id: ids.next(), laneId, transactionId, root }, hashed),
    ...laneTipChanges(tx, laneId, { tip, fee: built.fee }),
    workflowMessageInsert({ tx, ids }, anchorLaneWorkflowId(laneId), { kind: 'signal', signal: 'sealed' }, wakeDelayMs),
  ]);
  return built;
}

function hashedFact({ factId, vaultId, fact }: AnchorPayload): AnchoredFact {
  const text = canonicalJson(fact);
  return { factId, vaultId, text, leaf: leafOf(blake2b256, text) };
}
