import { blake2b256 } from '../cardano/blake2b.ts';
import { type Anchor, buildAnchor } from '../cardano/build/anchor.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { instantOfSlot, slotAt } from '../cardano/ledger/slots.ts';
import { type BuiltTransaction, outputUtxo, type Utxo } from '../cardano/transaction.ts';
import { merkleTree } from './rules/merkle.ts';
import { ServiceError } from '../platform/errors.ts';
import { oneAtATime } from '../platform/async.ts';
import { type Clock, wallClock, type Instant, secondsAfter } from '../platform/units/time.ts';
import type { Ids } from '../platform/units/ids.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { batchInserts, recordAnchor } from './queries/anchor-batches.ts';
import {
  type LaneHolder,
  laneTipChanges,
  openLane,
  readLane,
  releaseLane,
  renewLaneLease,
  takeFreeLane,
} from './queries/anchor-lanes.ts';
import type { Db } from '../platform/database/database.ts';
import { decodeRows, type OnUnreadable } from '../platform/database/decode-rows.ts';
import { findPlatform, type Platform } from '../operations/queries.ts';
import { executeAsOne } from '../platform/database/statements.ts';
import type { TransactionContext, UnitOfWork } from '../platform/database/unit-of-work.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { workflowMessageInsert } from '../platform/temporal/workflow-outbox.ts';
import { anchorLaneWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { OutboxRelay } from '../platform/temporal/workflow-outbox-relay.ts';
import { type AnchorPayload, hashedFact } from './facts.ts';

// A lane is a chain of anchor transactions, each of which spends the change of the one before. A process has one lane.

/** A process that has anchored nothing for so long may lose its lane to another process; it leases one again when it needs it. */
const LEASE_SECONDS = 30;
/** How long an anchor is valid; then it is built again. */
const LIFETIME_SECONDS = 2 * 3600;
/** A lane that holds less may be unable to pay for an anchor. */
const MIN_LANE_BALANCE = 2_000_000n;
/** A lane that holds less is refilled. It still pays for 15 minutes of anchors: one every five seconds, 0.18 ADA each. */
export const REFILL_THRESHOLD = lovelace(40_000_000n);
/** A lane takes a whole output, so it starts with the smallest of at least this size: the rest stays for other transactions. */
const LANE_SIZE = lovelace(100_000_000n);

export interface LaneDeps {
  readonly db: Db;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'payingUtxos'>;
  /** Throws LEDGER_UNAVAILABLE. */
  readonly networkState: () => Promise<NetworkState>;
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  /** Called when the ledger could not be reached while no write waited for it. */
  readonly onDelay: (error: unknown) => void;
  readonly onUnreadable: OnUnreadable;
}

/** The lane has changed since it was leased: the batch has to be written again. */
export class LaneChangedError extends Error {
  override readonly name = 'LaneChanged';
}

/** Anchors facts within the transaction of their batch, and returns the hash of the anchor. Throws LaneChangedError, SERVICE_NOT_READY. */
export type AnchorFacts = (context: TransactionContext, facts: readonly AnchorPayload[]) => Promise<string>;
export type Lane = ReturnType<typeof createLane>;

/** The lane of a process, and the state of the network that its next anchor is built for. */
interface LaneLease {
  readonly laneId: string;
  readonly platform: Platform;
  readonly chain: NetworkState;
}

/** The one lane of this process: leased on first use, and again after it was lost. */
export function createLane(deps: LaneDeps) {
  const { db, ids, onDelay, onUnreadable } = deps;
  const holder = ids.next();
  const spending = createDaySpending(wallClock);
  const refill = createRefill(deps);
  let held: Omit<LaneLease, 'chain'> | null = null;
  /** As the ledger last said: after the first anchor of a process, no outage of the ledger delays a write. */
  let chain: NetworkState | null = null;
  const readChain = oneAtATime(async () => (chain = await deps.networkState()));
  const refreshChain = oneAtATime(() => readChain().catch(onDelay));

  async function anchorIn(
    { laneId, platform, chain }: LaneLease,
    context: TransactionContext,
    facts: readonly AnchorPayload[],
  ): Promise<string> {
    const rows = await renewLaneLease(context.tx, laneId, leaseFromNow(holder));
    const [lane] = decodeRows(rows, readLane, onUnreadable);
    if (!lane) {
      held = null;
      throw new LaneChangedError('the lane is taken, or cannot be read');
    }
    const inputs = refill.inputsWith(lane.tip, platform.operatorAddress);
    if (inputs === null) throw new LaneChangedError('the lane cannot pay for an anchor');
    const anchor = await recordBatch(context, { laneId, platform, chain, inputs }, facts);
    if (anchor === null)
      throw new LaneChangedError('another transaction spends the output that was to refill the lane');
    spending.record(lovelace(lane.spentToday + anchor.fee));
    return anchor.hash;
  }

  return {
    /** What the anchors of the lane have cost today. */
    spentToday: spending.today,

    /** Leases a lane before the transaction of a batch begins. Never rejects: a batch that anchors nothing needs no lane. */
    async lease(): Promise<AnchorFacts> {
      try {
        const lane = (held ??= await leaseLane(deps, leaseFromNow(holder)));
        await refill.find(lane.platform.operatorAddress);
        if (chain !== null) void refreshChain();
        const lease = { ...lane, chain: chain ?? (await readChain()) };
        return (context, facts) => anchorIn(lease, context, facts);
      } catch (error) {
        return () => {
          throw notReady(error);
        };
      }
    },

    /** Releases the lane, so that another process can lease it at once. */
    async release(): Promise<void> {
      if (held) await releaseLane(db, held.laneId, holder);
      held = null;
    },
  };
}

/** The operator outputs that refill a lane. */
function createRefill({ db, ledger, onDelay }: LaneDeps) {
  /** The next anchor spends it. */
  let found: Utxo | null = null;
  let isExhausted = false;
  const search = oneAtATime(async (address: string) => {
    found = (await freeOutputs(db, ledger, address))[0] ?? null;
  });
  return {
    /** Looks for an output if the last anchor could not be paid. */
    async find(address: string): Promise<void> {
      if (isExhausted) await search(address);
      isExhausted = false;
    },
    /** What the next anchor spends; null if it cannot be paid. */
    inputsWith(tip: Utxo, address: string): readonly Utxo[] | null {
      const output = found;
      found = null;
      if (output !== null) return [tip, output];
      if (tip.lovelace < REFILL_THRESHOLD) search(address).catch(onDelay);
      isExhausted = tip.lovelace < MIN_LANE_BALANCE;
      return isExhausted ? null : [tip];
    },
  };
}

function leaseFromNow(holder: string): LaneHolder {
  return { holder, until: secondsAfter(wallClock.now(), LEASE_SECONDS) };
}

/** SERVICE_NOT_READY instead of LEDGER_UNAVAILABLE: whoever writes a fact asks the ledger for nothing. */
function notReady(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'LEDGER_UNAVAILABLE') return error;
  return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'ledger' }, { cause: error });
}

/** Leases a free lane, or opens a new one with an operator output. */
async function leaseLane(deps: LaneDeps, holder: LaneHolder): Promise<Omit<LaneLease, 'chain'>> {
  const { db, ids, unitOfWork, ledger, outboxRelay } = deps;
  const platform = await findPlatform(db);
  if (!platform) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
  const laneId = await takeFreeLane(db, holder, wallClock.now());
  if (laneId !== null) return { laneId, platform };
  for (const tip of await freeOutputs(db, ledger, platform.operatorAddress)) {
    const id = ids.next();
    const opened = await unitOfWork(({ tx }) => openLane(tx, ids, { id, ...holder, tip }));
    outboxRelay.deliver();
    if (opened) return { laneId: id, platform };
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' });
}

interface AnchorInputs extends LaneLease {
  /** The tip of the lane, and an output that refills the lane. */
  readonly inputs: readonly Utxo[];
}

/** Puts facts under one Merkle root and records the anchor that carries it, which is returned; null when another transaction spends an input. */
async function recordBatch(
  context: TransactionContext,
  { laneId, platform, chain, inputs: lane }: AnchorInputs,
  facts: readonly AnchorPayload[],
): Promise<BuiltTransaction | null> {
  const { tx, ids, now } = context;
  const hashed = facts.map(hashedFact);
  const leaves = hashed.map(({ leaf }) => leaf);
  const { root } = merkleTree(blake2b256, leaves);
  const operator = { address: platform.operatorAddress, keyHash: platform.operatorKeyHash };
  const { built, expiresAt } = buildLaneAnchor(chain, now, { operator, lane, root, count: facts.length });
  const transactionId = ids.next();
  if (!(await recordAnchor(context, { laneId, transactionId, built, expiresAt }))) return null;
  await executeAsOne(tx, [
    ...batchInserts(tx, { id: ids.next(), laneId, transactionId, root }, hashed),
    ...laneTipChanges(tx, laneId, { tip: outputUtxo(built, 0), fee: built.fee }),
    workflowMessageInsert({ tx, ids }, anchorLaneWorkflowId(laneId), { kind: 'signal', signal: 'sealed' }),
  ]);
  return built;
}

/** The transaction that carries a root, and until when it is valid. */
export function buildLaneAnchor(
  chain: NetworkState,
  now: Instant,
  anchor: Omit<Anchor, 'ttlSlot'>,
): { readonly built: BuiltTransaction; readonly expiresAt: Instant } {
  const ttlSlot = slotAt(chain.anchor, secondsAfter(now, LIFETIME_SECONDS));
  return { built: buildAnchor(chain, { ...anchor, ttlSlot }), expiresAt: instantOfSlot(chain.anchor, ttlSlot) };
}

/**
 * The ADA-only outputs of the operator that no transaction or lane has leased: those of the size of a lane, the smallest first, then
 * the smaller ones, the largest first. Throws LEDGER_UNAVAILABLE.
 */
export async function freeOutputs(db: Db, ledger: Pick<Ledger, 'payingUtxos'>, address: string): Promise<Utxo[]> {
  return inLaneOrder(await excludeLeased(db, await ledger.payingUtxos(address)));
}

/** The order in which outputs are given to lanes. */
export function inLaneOrder(outputs: readonly Utxo[]): Utxo[] {
  const ascending = outputs.toSorted((one, other) => (one.lovelace < other.lovelace ? -1 : 1));
  const isLarge = (utxo: Utxo) => utxo.lovelace >= LANE_SIZE;
  return [...ascending.filter(isLarge), ...ascending.filter((utxo) => !isLarge(utxo)).toReversed()];
}

const DAY_MS = 86_400_000;

/** What was spent on the current day (UTC). */
export function createDaySpending(clock: Clock) {
  let last: { readonly day: number; readonly spent: Lovelace } | null = null;
  const currentDay = () => Math.floor(clock.now() / DAY_MS);
  return {
    record(spent: Lovelace) {
      last = { day: currentDay(), spent };
    },
    today: () => (last?.day === currentDay() ? last.spent : lovelace(0n)),
  };
}
