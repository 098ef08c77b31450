import { blake2b256 } from '../cardano/blake2b.ts';
import { type Anchor, buildAnchor } from '../cardano/build/anchor.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { instantOfSlot, slotAt } from '../cardano/ledger/slots.ts';
import { type BuiltTransaction, outputUtxo, type Utxo } from '../cardano/transaction.ts';
import { merkleTree } from './rules/merkle.ts';
import { ServiceError } from '../platform/errors.ts';
import { singleFlight } from '../platform/async.ts';
import { type Clock, wallClock, type Instant, secondsAfter } from '../platform/units/time.ts';
import type { Ids } from '../platform/units/ids.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { batchInserts, recordAnchor } from './queries/anchor-batches.ts';
import {
  type AnchorChainHolder,
  anchorChainTipChanges,
  openAnchorChain,
  readAnchorChain,
  releaseAnchorChain,
  renewAnchorChainLease,
  takeFreeAnchorChain,
} from './queries/anchor-chains.ts';
import type { Db } from '../platform/database/database.ts';
import { decodeRows, type OnUnreadable } from '../platform/database/decode-rows.ts';
import { findPlatform, type Platform } from '../operations/queries.ts';
import { executeAsOne } from '../platform/database/statements.ts';
import type { TransactionContext, UnitOfWork } from '../platform/database/unit-of-work.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { workflowMessageInsert } from '../platform/temporal/workflow-outbox.ts';
import { anchorSubmitterWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { OutboxRelay } from '../platform/temporal/workflow-outbox-relay.ts';
import { type AnchorPayload, hashedFact } from './facts.ts';

// An anchor chain is a chain of anchor transactions, each of which spends the change of the one before. A process has one anchor chain.

/** A process that has anchored nothing for so long may lose its anchor chain to another process; it leases one again when it needs it. */
const LEASE_SECONDS = 30;
/** How long an anchor is valid; then it is built again. */
const LIFETIME_SECONDS = 2 * 3600;
/** An anchor chain that holds less may be unable to pay for an anchor. */
const MIN_ANCHOR_CHAIN_BALANCE = 2_000_000n;
/** An anchor chain that holds less is refilled. It still pays for 15 minutes of anchors: one every five seconds, 0.18 ADA each. */
export const REFILL_THRESHOLD = lovelace(40_000_000n);
/** An anchor chain takes a whole output, so it starts with the smallest of at least this size: the rest stays for other transactions. */
const ANCHOR_CHAIN_SIZE = lovelace(100_000_000n);

export interface AnchorChainDeps {
  readonly db: Db;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'payingUtxos'>;
  readonly networkState: () => Promise<NetworkState>;
  readonly outboxRelay: Pick<OutboxRelay, 'deliver'>;
  /** Called when the ledger could not be reached while no write waited for it. */
  readonly onDelay: (error: unknown) => void;
  readonly onUnreadable: OnUnreadable;
}

/** The anchor chain has changed since it was leased: the batch has to be written again. */
export class AnchorChainChangedError extends Error {
  override readonly name = 'AnchorChainChanged';
}

/** Anchors facts within the transaction of their batch, and returns the hash of the anchor. */
export type AnchorFacts = (context: TransactionContext, facts: readonly AnchorPayload[]) => Promise<string>;
export type AnchorChain = ReturnType<typeof createAnchorChain>;

/** The anchor chain of a process, and the state of the network that its next anchor is built for. */
interface AnchorChainLease {
  readonly anchorChainId: string;
  readonly platform: Platform;
  readonly chain: NetworkState;
}

/** The one anchor chain of this process: leased on first use, and again after it was lost. */
export function createAnchorChain(deps: AnchorChainDeps) {
  const { db, ids, onDelay, onUnreadable } = deps;
  const holder = ids.next();
  const spending = createDaySpending(wallClock);
  const refill = createRefill(deps);
  let held: Omit<AnchorChainLease, 'chain'> | null = null;
  /** As the ledger last said: after the first anchor of a process, no outage of the ledger delays a write. */
  let chain: NetworkState | null = null;
  const readChain = singleFlight(async () => (chain = await deps.networkState()));
  const refreshChain = singleFlight(() => readChain().catch(onDelay));

  async function anchorIn(
    { anchorChainId, platform, chain }: AnchorChainLease,
    context: TransactionContext,
    facts: readonly AnchorPayload[],
  ): Promise<string> {
    const rows = await renewAnchorChainLease(context.tx, anchorChainId, leaseFromNow(holder));
    const [anchorChain] = decodeRows(rows, readAnchorChain, onUnreadable);
    if (!anchorChain) {
      held = null;
      throw new AnchorChainChangedError('the anchor chain is taken, or cannot be read');
    }
    const inputs = refill.inputsWith(anchorChain.tip, platform.operatorAddress);
    if (inputs === null) throw new AnchorChainChangedError('the anchor chain cannot pay for an anchor');
    const anchor = await recordBatch(context, { anchorChainId, platform, chain, inputs }, facts);
    if (anchor === null)
      throw new AnchorChainChangedError('another transaction spends the output that was to refill the anchor chain');
    spending.record(lovelace(anchorChain.spentToday + anchor.fee));
    return anchor.hash;
  }

  return {
    /** What the anchors of the anchor chain have cost today. */
    spentToday: spending.today,

    /** Leases an anchor chain before the transaction of a batch begins. Never rejects: a batch that anchors nothing needs no anchor chain. */
    async lease(): Promise<AnchorFacts> {
      try {
        const anchorChain = (held ??= await leaseAnchorChain(deps, leaseFromNow(holder)));
        await refill.find(anchorChain.platform.operatorAddress);
        if (chain !== null) void refreshChain();
        const lease = { ...anchorChain, chain: chain ?? (await readChain()) };
        return (context, facts) => anchorIn(lease, context, facts);
      } catch (error) {
        return () => {
          throw notReady(error);
        };
      }
    },

    /** Releases the anchor chain, so that another process can lease it at once. */
    async release(): Promise<void> {
      if (held) await releaseAnchorChain(db, held.anchorChainId, holder);
      held = null;
    },
  };
}

/** The operator outputs that refill an anchor chain. */
function createRefill({ db, ledger, onDelay }: AnchorChainDeps) {
  /** The next anchor spends it. */
  let found: Utxo | null = null;
  let isExhausted = false;
  const search = singleFlight(async (address: string) => {
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
      isExhausted = tip.lovelace < MIN_ANCHOR_CHAIN_BALANCE;
      return isExhausted ? null : [tip];
    },
  };
}

function leaseFromNow(holder: string): AnchorChainHolder {
  return { holder, until: secondsAfter(wallClock.now(), LEASE_SECONDS) };
}

/** SERVICE_NOT_READY instead of LEDGER_UNAVAILABLE: whoever writes a fact asks the ledger for nothing. */
function notReady(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'LEDGER_UNAVAILABLE') return error;
  return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'ledger' }, { cause: error });
}

/** Leases a free anchor chain, or opens a new one with an operator output. */
async function leaseAnchorChain(
  deps: AnchorChainDeps,
  holder: AnchorChainHolder,
): Promise<Omit<AnchorChainLease, 'chain'>> {
  const { db, ids, unitOfWork, ledger, outboxRelay } = deps;
  const platform = await findPlatform(db);
  if (!platform) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
  const anchorChainId = await takeFreeAnchorChain(db, holder, wallClock.now());
  if (anchorChainId !== null) return { anchorChainId, platform };
  for (const tip of await freeOutputs(db, ledger, platform.operatorAddress)) {
    const id = ids.next();
    const opened = await unitOfWork(({ tx }) => openAnchorChain(tx, ids, { id, ...holder, tip }));
    outboxRelay.deliver();
    if (opened) return { anchorChainId: id, platform };
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' });
}

interface AnchorInputs extends AnchorChainLease {
  /** The tip of the anchor chain, and an output that refills the anchor chain. */
  readonly inputs: readonly Utxo[];
}

/** Puts facts under one Merkle root and records the anchor that carries it, which is returned; null when another transaction spends an input. */
async function recordBatch(
  context: TransactionContext,
  { anchorChainId, platform, chain, inputs }: AnchorInputs,
  facts: readonly AnchorPayload[],
): Promise<BuiltTransaction | null> {
  const { tx, ids, now } = context;
  const hashed = facts.map(hashedFact);
  const leaves = hashed.map(({ leaf }) => leaf);
  const { root } = merkleTree(blake2b256, leaves);
  const operator = { address: platform.operatorAddress, keyHash: platform.operatorKeyHash };
  const { built, expiresAt } = buildNextAnchor(chain, now, { operator, inputs, root, count: facts.length });
  const transactionId = ids.next();
  if (!(await recordAnchor(context, { anchorChainId, transactionId, built, expiresAt }))) return null;
  await executeAsOne(tx, [
    ...batchInserts(tx, { id: ids.next(), anchorChainId, transactionId, root }, hashed),
    ...anchorChainTipChanges(tx, anchorChainId, { tip: outputUtxo(built, 0), fee: built.fee }),
    workflowMessageInsert({ tx, ids }, anchorSubmitterWorkflowId(anchorChainId), { kind: 'signal', signal: 'sealed' }),
  ]);
  return built;
}

/** The transaction that carries a root, and until when it is valid. */
export function buildNextAnchor(
  chain: NetworkState,
  now: Instant,
  anchor: Omit<Anchor, 'ttlSlot'>,
): { readonly built: BuiltTransaction; readonly expiresAt: Instant } {
  const ttlSlot = slotAt(chain.anchor, secondsAfter(now, LIFETIME_SECONDS));
  return { built: buildAnchor(chain, { ...anchor, ttlSlot }), expiresAt: instantOfSlot(chain.anchor, ttlSlot) };
}

/**
 * The ADA-only outputs of the operator that no transaction or anchor chain has leased: those of the size of an anchor chain, the smallest first, then
 * the smaller ones, the largest first.
 */
export async function freeOutputs(db: Db, ledger: Pick<Ledger, 'payingUtxos'>, address: string): Promise<Utxo[]> {
  return inAnchorChainOrder(await excludeLeased(db, await ledger.payingUtxos(address)));
}

/** The order in which outputs are given to anchor chains. */
export function inAnchorChainOrder(outputs: readonly Utxo[]): Utxo[] {
  const ascending = outputs.toSorted((one, other) => (one.lovelace < other.lovelace ? -1 : 1));
  const isLarge = (utxo: Utxo) => utxo.lovelace >= ANCHOR_CHAIN_SIZE;
  return [...ascending.filter(isLarge), ...ascending.filter((utxo) => !isLarge(utxo)).toReversed()];
}

const DAY_MS = 86_400_000;

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
