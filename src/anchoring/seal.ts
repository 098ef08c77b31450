import { blake2b256 } from '../chain/blake2b.ts';
import { buildAnchor } from '../chain/build/anchor.ts';
import type { NetworkState } from '../chain/ledger/network-state.ts';
import { instantOfSlot, slotAt } from '../chain/ledger/slots.ts';
import { outputUtxo, type Utxo } from '../chain/transaction.ts';
import { canonicalJson } from '../domain/anchor/canonical-json.ts';
import type { Ids } from '../domain/units/ids.ts';
import { secondsAfter } from '../domain/units/instant.ts';
import { leafOf, merkleTree } from '../domain/anchor/merkle.ts';
import { setTip } from '../store/anchor-lanes.ts';
import { type AnchoredFact, insertBatch, recordAnchor } from '../store/anchors.ts';
import type { Platform } from '../store/platform.ts';
import type { TransactionContext } from '../store/transaction-context.ts';
import { enqueueWorkflowMessage } from '../store/workflow-outbox.ts';
import { anchorLaneWorkflowId } from '../temporal/workflow-ids.ts';
import type { AnchorPayload } from './anchors.ts';

/** How long an anchor may take to land before it is built anew. */
const LIFETIME_SECONDS = 2 * 3600;

/** What a batch's anchor is made of. */
export interface AnchorInputs {
  readonly laneId: string;
  readonly platform: Platform;
  readonly chain: NetworkState;
  /** The lane's tip, and an output that fills the lane up. */
  readonly inputs: readonly Utxo[];
}

/** Puts facts under one root and records the anchor that carries it. Answers its hash; null when another transaction has an input. */
export async function seal(
  work: TransactionContext,
  ids: Ids,
  footing: AnchorInputs,
  facts: readonly AnchorPayload[],
): Promise<string | null> {
  const { laneId, platform, chain, inputs: lane } = footing;
  const { tx, now } = work;
  const hashed = facts.map(asHashed);
  const leaves = hashed.map(({ leaf }) => leaf);
  const { root } = merkleTree(blake2b256, leaves);
  const ttlSlot = slotAt(chain.anchor, secondsAfter(now, LIFETIME_SECONDS));
  const operator = { address: platform.operatorAddress, keyHash: platform.operatorKeyHash };
  const built = buildAnchor(chain, { operator, lane, root, count: facts.length, ttlSlot });

  const transactionId = ids.next();
  const expiresAt = instantOfSlot(chain.anchor, ttlSlot);
  if (!(await recordAnchor(tx, { laneId, transactionId, built, expiresAt }, now))) return null;
  await insertBatch(tx, { id: ids.next(), laneId, transactionId, root }, hashed);
  await setTip(tx, laneId, outputUtxo(built, 0));
  await enqueueWorkflowMessage(tx, ids, anchorLaneWorkflowId(laneId), { kind: 'signal', signal: 'sealed' });
  return built.hash;
}

function asHashed({ factId, vaultId, fact }: AnchorPayload): AnchoredFact {
  const text = canonicalJson(fact);
  return { factId, vaultId, text, leaf: leafOf(blake2b256, text) };
}
