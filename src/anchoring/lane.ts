import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { oneAtATime } from '../platform/async/one-at-a-time.ts';
import { wallClock } from '../platform/units/clock.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Ids } from '../platform/units/ids.ts';
import { secondsAfter } from '../platform/units/instant.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import {
  type LaneHolder,
  openLane,
  readLane,
  releaseLane,
  renewLaneLease,
  takeFreeLane,
} from './queries/anchor-lanes.ts';
import type { Db } from '../platform/database/database.ts';
import { decodeRows, type OnUnreadable } from '../platform/database/decode-rows.ts';
import { findPlatform, type Platform } from '../operations/queries/operator-identity.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import type { OutboxRelay } from '../platform/temporal/workflow-outbox-relay.ts';
import type { AnchorPayload } from './anchors.ts';
import { lastKnown } from './last-known.ts';
import { freeOutputs, REFILL_THRESHOLD } from './lane-funds.ts';
import { type AnchorInputs, seal } from './seal.ts';

/** A process that has sealed nothing for so long may lose its lane to another process; it leases one again when it needs it. */
const LEASE_SECONDS = 30;
/** A lane that holds less may be unable to pay for an anchor. */
const MIN_LANE_BALANCE = 2_000_000n;

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

interface ProcessDeps {
  /** Called for each anchor with what the anchors of the lane have cost today. */
  readonly onSpent: (spentToday: Lovelace) => void;
  /** How long the workflow of the lane is to hear nothing of the next anchor yet. */
  readonly wakeDelayMs: () => number;
}

/** The lane has changed since it was leased: the batch has to be written again. */
export class LaneChangedError extends Error {
  override readonly name = 'LaneChanged';
}

/** The lane that the next batch is sealed in, and the state of the network that its anchor is built for. */
export type LaneLease = Omit<AnchorInputs, 'inputs' | 'wakeDelayMs'>;
export type Lane = ReturnType<typeof createLane>;

/** The one lane of this process: leased on first use, and again after it was lost. */
export function createLane(deps: LaneDeps & ProcessDeps) {
  const { db, ids, ledger, onDelay, onSpent, wakeDelayMs } = deps;
  const holder = ids.next();
  const networkState = lastKnown(deps.networkState, onDelay);
  let held: Omit<LaneLease, 'chain'> | null = null;
  /** An operator output that the next anchor spends to refill the lane. */
  let refill: Utxo | null = null;
  let isExhausted = false;

  const findRefill = oneAtATime(async ({ operatorAddress }: Platform) => {
    refill = (await freeOutputs(db, ledger, operatorAddress))[0] ?? null;
  });

  return {
    /**
     * Leases a lane before the transaction of a batch begins. Throws SERVICE_NOT_READY, but not while this process holds a lane that can
     * pay for an anchor.
     */
    lease: (): Promise<LaneLease> =>
      whenLedgerIsReady(async () => {
        held ??= await leaseLane(deps, leaseFromNow(holder));
        if (isExhausted) await findRefill(held.platform);
        isExhausted = false;
        return { ...held, chain: await networkState() };
      }),

    /** Seals a batch within its transaction and returns the hash of the anchor. Throws LaneChangedError. */
    async seal(context: TransactionContext, lease: LaneLease, facts: readonly AnchorPayload[]): Promise<string> {
      const rows = await renewLaneLease(context.tx, lease.laneId, leaseFromNow(holder));
      const [lane] = decodeRows(rows, readLane, deps.onUnreadable);
      if (!lane) {
        held = null;
        throw new LaneChangedError('the lane is taken, or cannot be read');
      }
      const inputs = refill === null ? [lane.tip] : [lane.tip, refill];
      if (refill === null && lane.tip.lovelace < REFILL_THRESHOLD) findRefill(lease.platform).catch(onDelay);
      if (refill === null && lane.tip.lovelace < MIN_LANE_BALANCE) {
        isExhausted = true;
        throw new LaneChangedError('the lane cannot pay for an anchor');
      }
      refill = null;
      const anchor = await seal(context, { ...lease, inputs, wakeDelayMs: wakeDelayMs() }, facts);
      if (anchor === null)
        throw new LaneChangedError('another transaction spends the output that was to refill the lane');
      onSpent(lovelace(lane.spentToday + anchor.fee));
      return anchor.hash;
    },

    /** Releases the lane, so that another process can lease it at once. */
    async release(): Promise<void> {
      if (held) await releaseLane(db, held.laneId, holder);
      held = null;
    },
  };
}

function leaseFromNow(holder: string): LaneHolder {
  return { holder, until: secondsAfter(wallClock.now(), LEASE_SECONDS) };
}

/** Throws SERVICE_NOT_READY instead of LEDGER_UNAVAILABLE: whoever writes a fact asks the ledger for nothing. */
async function whenLedgerIsReady<Result>(lease: () => Promise<Result>): Promise<Result> {
  try {
    return await lease();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'LEDGER_UNAVAILABLE') throw cause;
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'ledger' }, { cause });
  }
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
