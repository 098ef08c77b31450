import type { NetworkState } from '../chain/ledger/network-state.ts';
import type { Ledger } from '../chain/ledger/ledger.ts';
import type { Utxo } from '../chain/transaction.ts';
import { wallClock } from '../domain/units/clock.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Ids } from '../domain/units/ids.ts';
import { secondsAfter } from '../domain/units/instant.ts';
import { type LaneHolder, renewLaneLease, openLane, releaseLane, takeFreeLane } from '../store/anchor-lanes.ts';
import type { Db } from '../store/database.ts';
import { findPlatform, type Platform } from '../store/platform.ts';
import type { TransactionContext } from '../store/transaction-context.ts';
import type { UnitOfWork } from '../store/unit-of-work.ts';
import type { OutboxRelay } from '../temporal/outbox-relay.ts';
import type { AnchorPayload } from './anchors.ts';
import { lastKnown } from './last-known.ts';
import { freeOutputs, REFILL_THRESHOLD } from './operator-outputs.ts';
import { type AnchorInputs, seal } from './seal.ts';

/** A process that has sealed nothing for so long may lose its lane to another, and takes one again when it needs it. */
const HOLD_SECONDS = 30;
/** With less an anchor may not be payable. */
const DRY = 2_000_000n;

export interface LaneDeps {
  readonly db: Db;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'utxos'>;
  /** Raises LEDGER_UNAVAILABLE. */
  readonly networkState: () => Promise<NetworkState>;
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  /** Told when the ledger could not be asked and nothing waits for it. */
  readonly onDelay: (error: unknown) => void;
}

/** The lane is not what it was taken for: the batch has to be written again. */
export class LaneChangedError extends Error {
  override readonly name = 'LaneChanged';
}

/** Where the next batch will be sealed. */
export type LaneLease = Omit<AnchorInputs, 'inputs'>;
export type Lane = ReturnType<typeof createLane>;

/** The one lane of this process: taken when it is first needed, and again when it was lost. */
export function createLane(deps: LaneDeps) {
  const { db, ids, ledger, onDelay } = deps;
  const holder = ids.next();
  const hold = (): LaneHolder => ({ holder, until: secondsAfter(wallClock.now(), HOLD_SECONDS) });
  const networkState = lastKnown(deps.networkState, onDelay);
  let held: Omit<LaneLease, 'chain'> | null = null;
  let spare: Utxo | null = null;
  let looking: Promise<void> | null = null;
  let dry = false;

  function lookForSpare({ operatorAddress }: Platform): Promise<void> {
    return (looking ??= (async () => {
      try {
        spare = (await freeOutputs(db, ledger, operatorAddress))[0] ?? null;
      } finally {
        looking = null;
      }
    })());
  }

  return {
    /** Before the batch's transaction begins. Raises SERVICE_NOT_READY and LEDGER_UNAVAILABLE, neither while a lane is held that is not dry. */
    async berth(): Promise<LaneLease> {
      held ??= await takeLane(deps, hold());
      if (dry) await lookForSpare(held.platform);
      dry = false;
      return { ...held, chain: await networkState() };
    },

    /** Seals a batch in its transaction and answers the anchor's hash. Throws LaneChanged. */
    async seal(work: TransactionContext, berth: LaneLease, facts: readonly AnchorPayload[]): Promise<string> {
      const tip = await renewLaneLease(work.tx, berth.laneId, hold());
      if (!tip) {
        held = null;
        throw new LaneChangedError('another process has taken the lane');
      }
      const inputs = spare === null ? [tip] : [tip, spare];
      if (spare === null && tip.lovelace < REFILL_THRESHOLD) lookForSpare(berth.platform).catch(onDelay);
      if (spare === null && tip.lovelace < DRY) {
        dry = true;
        throw new LaneChangedError('the lane has run dry');
      }
      spare = null;
      const hash = await seal(work, ids, { ...berth, inputs }, facts);
      if (hash === null) throw new LaneChangedError('another transaction has the output that was to fill the lane up');
      return hash;
    },

    /** Lets another process have the lane at once. */
    async release(): Promise<void> {
      if (held) await releaseLane(db, held.laneId, holder);
      held = null;
    },
  };
}

async function takeLane(deps: LaneDeps, hold: LaneHolder): Promise<Omit<LaneLease, 'chain'>> {
  const { db, ids, unitOfWork, ledger, outboxRelay } = deps;
  const platform = await findPlatform(db);
  if (!platform) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
  const laneId = await takeFreeLane(db, hold, wallClock.now());
  if (laneId !== null) return { laneId, platform };
  for (const tip of await freeOutputs(db, ledger, platform.operatorAddress)) {
    const id = ids.next();
    const opened = await unitOfWork(({ tx }) => openLane(tx, ids, { id, ...hold, tip }));
    outboxRelay.deliver();
    if (opened) return { laneId: id, platform };
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' });
}
