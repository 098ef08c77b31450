import { freeOutputs, REFILL_THRESHOLD } from '../src/anchoring/operator-outputs.ts';
import type { NetworkState } from '../src/chain/ledger/network-state.ts';
import { buildAnchor } from '../src/chain/build/anchor.ts';
import { instantOfSlot, slotAt } from '../src/chain/ledger/slots.ts';
import { outputUtxo, type Utxo } from '../src/chain/transaction.ts';
import { isOpen } from '../src/domain/transaction/transaction-state.ts';
import { type Instant, instant, secondsAfter } from '../src/domain/units/instant.ts';
import { lockLane, setTip } from '../src/store/anchor-lanes.ts';
import { type AnchorBatch, recordAnchor, replaceAnchor, unlandedBatches } from '../src/store/anchors.ts';
import { lockTransaction } from '../src/store/chain-transactions.ts';
import type { TransactionContext } from '../src/store/transaction-context.ts';
import { moveTransaction } from '../src/services/on-ledger/transactions.ts';
import { heldByLane } from '../src/store/utxo-leases.ts';
import type { AnchorActivities } from '../src/temporal/activities.ts';
import type { WorkerDeps } from './deps.ts';
import { sendRecorded } from './transactions.ts';

/** What the ledger has refused is not built anew at once, so that a mistake of ours does not become a flood. */
const SECONDS_AFTER_REFUSAL = 10;
const LIFETIME_SECONDS = 2 * 3600;
/** More than one anchor costs, in lovelace. */
const FEE_AT_MOST = 250_000n;

type Deps = Pick<
  WorkerDeps,
  'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'keys' | 'outboxRelay' | 'networkId' | 'confirmationDepth'
>;

/** Carrying the anchors of a lane to the ledger, in order. */
export function createAnchorActivities(deps: Deps): AnchorActivities {
  return {
    async sendAnchors({ laneId }) {
      const unlanded = await unlandedBatches(deps.db, laneId);
      if (unlanded.some(isBroken)) await rebuild(deps, laneId);
      const now = await deps.unitOfWork((work) => Promise.resolve(work.now));
      for (const { transaction } of await unlandedBatches(deps.db, laneId)) {
        if (transaction.state !== 'pending') continue;
        const outcome = await sendRecorded(deps, transaction, now);
        if (outcome !== 'done') throw new Error(outcome.unclear);
      }
      deps.outboxRelay.deliver();
    },
  };
}

/** Whether no block can take the anchor any more. */
function isBroken({ transaction: { state } }: AnchorBatch): boolean {
  return state === 'expired' || state === 'failed';
}

/**
 * Builds the first anchor that can never land, and all that hang on it, anew from what the lane holds on the ledger. The first one
 * spends again what the one it replaces would have spent, so never both can land (design §5).
 */
async function rebuild(deps: Deps, laneId: string): Promise<void> {
  const { address } = deps.keys.operator;
  const [chain, onLedger, free] = await Promise.all([
    deps.networkState(),
    deps.ledger.utxos(address),
    freeOutputs(deps.db, deps.ledger, address),
  ]);
  await deps.unitOfWork(async (work) => {
    await lockLane(work.tx, laneId);
    const unlanded = await unlandedBatches(work.tx, laneId);
    const first = unlanded.findIndex(isBroken);
    const broken = first === -1 ? [] : unlanded.slice(first);
    const [cause] = broken;
    if (!cause) return;
    requireCooledDown(cause, work.now);
    await endHanging(deps, work, broken);
    const before = unlanded[first - 1];
    const held = await heldByLane(work.tx, laneId, onLedger);
    const base = [...(before ? [outputUtxo(before.transaction, 0)] : []), ...held];
    await rechain(deps, work, { laneId, broken, chain, base: filledUp(base, free, broken.length) });
  });
}

function requireCooledDown({ transaction }: AnchorBatch, now: Instant): void {
  const { state, hash, error, updatedAt } = transaction;
  if (state === 'failed' && now < secondsAfter(updatedAt, SECONDS_AFTER_REFUSAL))
    throw new Error(`anchor ${hash} was refused and will be built anew: ${error ?? 'no reason given'}`);
}

/** Ends what spends an output that will never be. */
async function endHanging(
  { ids }: Deps,
  { tx, now }: TransactionContext,
  broken: readonly AnchorBatch[],
): Promise<void> {
  const reason = 'an anchor before it in its lane can no longer land';
  for (const { transaction } of broken.toReversed()) {
    const current = await lockTransaction(tx, transaction.id);
    if (current && isOpen(current.state)) await moveTransaction({ tx, ids, now }, current, { to: 'failed', reason });
  }
}

/** Adds free outputs until the lane can pay for so many anchors and is not low afterwards. */
function filledUp(base: readonly Utxo[], free: readonly Utxo[], anchors: number): Utxo[] {
  const inputs = [...base];
  const needed = REFILL_THRESHOLD + FEE_AT_MOST * BigInt(anchors);
  for (const spare of free) {
    if (inputs.reduce((sum, utxo) => sum + utxo.lovelace, 0n) >= needed) break;
    inputs.push(spare);
  }
  return inputs;
}

interface Rechaining {
  readonly laneId: string;
  readonly broken: readonly AnchorBatch[];
  readonly chain: NetworkState;
  readonly base: readonly Utxo[];
}

async function rechain(
  { ids, keys }: Deps,
  { tx, now }: TransactionContext,
  { laneId, broken, chain, base }: Rechaining,
): Promise<void> {
  const { anchor: slots } = chain;
  const ttlSlot = slotAt(slots, secondsAfter(now, LIFETIME_SECONDS));
  const expiresAt = instantOfSlot(slots, ttlSlot);
  let lane = base;
  for (const [position, { id, root, count }] of broken.entries()) {
    const built = buildAnchor(chain, { operator: keys.operator, lane, root, count, ttlSlot });
    const transactionId = ids.next();
    // They are sent in the order in which they were made.
    const madeAt = instant(now + position);
    if (!(await recordAnchor(tx, { laneId, transactionId, built, expiresAt }, madeAt)))
      throw new Error(`an output for lane ${laneId} was just taken`);
    await replaceAnchor(tx, id, transactionId);
    const tip = outputUtxo(built, 0);
    await setTip(tx, laneId, tip);
    lane = [tip];
  }
}
