import { findSpendingTransaction, type SearchBudget } from '../../cardano/ledger/history.ts';
import { vaultAddresses } from '../../cardano/scripts/vault-addresses.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import { recordAsked, watchAddresses, nextUnreadBlock, recordTouched } from '../queries/addresses.ts';
import { followedTip, firstFollowedHeight, followedBlock, type FollowedBlock } from '../queries/blocks.ts';
import { vaultsOnLedger, vaultParticipants } from '../queries/unsolicited-scan-targets.ts';
import {
  type FoundOutput,
  insertUnsolicited,
  markPresent,
  outputsWithoutSpender,
  recordedRefs,
  setGoneHash,
} from '../queries/unsolicited.ts';
import { returnDuplicate } from './return-unsolicited.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Clock, wallClock, secondsAfter, type Instant } from '../../platform/units/time.ts';
import { resumeRotation } from '../../rotation/move-custody.ts';
import { excludeOwnOutputs } from '../../settlement/queries/outputs.ts';
import { type StakeOutput, stakesOwnersMayTake } from '../../staking/queries/vault-stakes.ts';
import { recordReclaimedStake } from '../../staking/unstake.ts';
import { refText } from '../../transactions/rules.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import type { VaultAddress } from '../../vaults/rules/vault.ts';
import type { WorkerContext } from '../../worker-context.ts';

const PAGE = 20;
/** A page ends early after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const SCAN_SECONDS = 600;

/** Whether the time of a page is up. */
export function timeLimit(clock: Clock = wallClock): () => boolean {
  const end = secondsAfter(clock.now(), SCAN_SECONDS);
  return () => clock.now() > end;
}

/** How far a scan of all vaults is. */
export interface ScanPosition {
  /** The last vault, by id, that is done; null at the beginning. */
  readonly vaultId: string | null;
  /** A later vault of which only the addresses up to this one are done. */
  readonly within: { readonly vaultId: string; readonly address: string } | null;
}

interface ScanLimits {
  /** The last vault, by id; null for all. */
  readonly until: string | null;
  readonly isTimeUp: () => boolean;
}

/** What came of scanning one page of vaults. */
export interface ScannedPage {
  /** Null when all vaults are done. */
  readonly next: ScanPosition | null;
  /** How many vaults were scanned, also in part; 1 more where blocks were not read. */
  readonly scanned: number;
  /** Why vaults were not scanned, by id, and `blocks` not read. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Scans the next vaults up to one, one after the other while there is time; continues past those that fail. */
export async function scanVaults(
  context: WorkerContext,
  from: ScanPosition,
  { until, isTimeUp }: ScanLimits,
): Promise<ScannedPage> {
  const now = await context.readingTime();
  const vaults = await vaultsOnLedger(context.db, { after: from.vaultId, until, limit: PAGE }, now);
  const failures = new Map<string, unknown>();
  let done: string | null = from.vaultId;
  for (const [position, row] of vaults.entries()) {
    const { id } = row;
    const after = from.within?.vaultId === id ? from.within.address : null;
    try {
      const vault = readVault(row);
      const address = await scanVault(context, { vault, after, now, isTimeUp });
      if (address !== null)
        return { next: { vaultId: done, within: { vaultId: id, address } }, scanned: position + 1, failures };
      await followUp(context, vault);
    } catch (error) {
      failures.set(id, error);
    }
    done = id;
    if (isTimeUp()) return { next: { vaultId: done, within: null }, scanned: position + 1, failures };
  }
  const isLast = vaults.length < PAGE;
  return { next: isLast ? null : { vaultId: done, within: null }, scanned: vaults.length, failures };
}

/** Does for a vault what its scanned addresses give rise to. */
export async function followUp(context: WorkerContext, vault: Vault): Promise<void> {
  await returnDuplicate(context, vault);
  await resumeRotation(context, vault);
}

/** Addresses that are scanned and recorded together. */
const ADDRESSES_AT_ONCE = 20;
/** Each may need a call to the ledger: what strangers send beyond that is listed by the next scans. */
const MAX_NEW_OUTPUTS = 200;
/** The next scans search for those of further outputs, for a day. */
const MAX_SPENDERS = 20;
/**
 * Transactions that are read to find them and those of stakes, where the ledger does not name the spender: a minute or two of the
 * fifteen that a page of the scan has. The next scans read on.
 */
const MAX_READ = 1_000;
const SEARCHED_SECONDS = 24 * 3600;

interface VaultScan {
  readonly vault: Vault;
  /** The last address that is scanned already; null at the beginning. */
  readonly after: string | null;
  readonly now: Instant;
  readonly isTimeUp: () => boolean;
}

/**
 * Records the unsolicited outputs at the addresses of a vault, and the stakes that owners have reclaimed. Returns the last scanned
 * address when the time is up before all are scanned, or null.
 */
async function scanVault(context: WorkerContext, { vault, after, now, isTimeUp }: VaultScan): Promise<string | null> {
  const participants = await vaultParticipants(context.db, vault.id, now);
  const places = vaultAddresses(vault, participants, context.networkId)
    .filter(({ address }) => after === null || address > after)
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  for (let first = 0; first < places.length; first += ADDRESSES_AT_ONCE) {
    const some = places.slice(first, first + ADDRESSES_AT_ONCE);
    await watchAddresses(
      context.db,
      some.map((place) => ({ ...place, vaultId: vault.id })),
    );
    await scanAddresses(context, vault, some, now);
    if (isTimeUp() && first + ADDRESSES_AT_ONCE < places.length) return some.at(-1)?.address ?? null;
  }
  return null;
}

/** Records what lies at some addresses of a vault, and that the ledger was asked for them. */
export async function scanAddresses(
  context: WorkerContext,
  vault: Vault,
  places: readonly VaultAddress[],
  now: Instant,
): Promise<void> {
  const seen = await followedTip(context.db);
  const isDone = await recordFound(context, vault, places, now);
  // What is left is taken by the next scans.
  if (!isDone || seen === null) return;
  const addresses = places.map(({ address }) => address);
  await context.unitOfWork(({ tx }) => recordAsked(tx, addresses, seen));
}

/** Returns false when something is left to be recorded. */
async function recordFound(
  context: WorkerContext,
  vault: Vault,
  places: readonly VaultAddress[],
  now: Instant,
): Promise<boolean> {
  const { db, ledger, unitOfWork } = context;
  const unspent: FoundOutput[] = [];
  for (const place of places) {
    unspent.push(...(await ledger.utxos(place.address)).map((utxo) => ({ utxo, place })));
  }
  const scanned = { vaultId: vault.id, addresses: places.map(({ address }) => address) };
  const stakes = await stakesOwnersMayTake(db, scanned.vaultId, scanned.addresses, now);
  const refs = new Set(unspent.map(({ utxo }) => refText(utxo)));
  const searching = { ...context, budget: { left: MAX_READ } };
  const areStakesDone = await recordReclaimedStakes(searching, stakes, refs);
  const listed = await recordedRefs(db, scanned);
  // Read after the ledger: the platform records its transactions before it submits them, so none that the ledger showed is missing.
  const unlisted = await excludeOwnOutputs(
    db,
    vault.id,
    unspent.filter(({ utxo }) => !listed.has(refText(utxo))),
  );
  const found = await finalOutputs(context, unlisted.slice(0, MAX_NEW_OUTPUTS));
  const isAllListed = unlisted.length <= MAX_NEW_OUTPUTS;
  if (found.length === 0 && listed.size === 0) return areStakesDone && isAllListed;
  const held = await outputsWithoutSpender(db, scanned, secondsAfter(now, -SEARCHED_SECONDS));
  const spent = held.filter((output) => !refs.has(refText(output)));
  const spenders = await findSpenders(searching, spent);
  await unitOfWork(async (transaction) => {
    await insertUnsolicited(transaction, vault.id, found);
    for (const [output, hash] of spenders) await setGoneHash(transaction.tx, output, hash);
    const present = unspent.map(({ utxo }) => utxo);
    await markPresent(transaction, scanned, present);
  });
  return areStakesDone && isAllListed && spenders.size === spent.length;
}

type Searching = WorkerContext & { readonly budget: SearchBudget };

/** Who spent the listed outputs that are not unspent any more. */
async function findSpenders(context: Searching, spent: readonly Utxo[]): Promise<ReadonlyMap<Utxo, string>> {
  const spenders = new Map<Utxo, string>();
  for (const output of spent.slice(0, MAX_SPENDERS)) {
    const found = await findSpendingTransaction(context, output);
    if (found.kind === 'spent') spenders.set(output, found.spender);
  }
  return spenders;
}

/** Records the stakes that have left their vault by final transactions of their owners; returns whether it is known who took each. */
async function recordReclaimedStakes(
  context: Searching,
  stakes: readonly StakeOutput[],
  unspent: ReadonlySet<string>,
): Promise<boolean> {
  let areKnown = true;
  for (const output of stakes) {
    if (unspent.has(refText(output))) continue;
    const found = await findSpendingTransaction(context, output);
    if (found.kind === 'spent' && found.isFinal)
      await context.unitOfWork((transaction) => recordReclaimedStake(transaction, output.stakeId, found.spender));
    else areKnown = false;
  }
  return areKnown;
}

/** The outputs of transactions that are final. */
async function finalOutputs(
  { ledger, confirmationDepth }: WorkerContext,
  outputs: readonly FoundOutput[],
): Promise<FoundOutput[]> {
  if (outputs.length === 0) return [];
  const { height } = await ledger.latestBlock();
  const final = new Set<string>();
  for (const hash of new Set(outputs.map(({ utxo }) => utxo.txHash))) {
    const transaction = await ledger.transaction(hash);
    if (transaction && transaction.blockHeight <= height - confirmationDepth + 1) final.add(hash);
  }
  return outputs.filter(({ utxo }) => final.has(utxo.txHash));
}

/** Notes which addresses new blocks have touched. Returns whether the ledger lists them. */
export async function readTouched(context: WorkerContext, isTimeUp: () => boolean): Promise<boolean> {
  const { db, ledger, unitOfWork, confirmationDepth } = context;
  // A backend that lags behind may know a block before its transactions: a final one it knows well.
  for (;;) {
    const block = isTimeUp() ? null : await nextUnreadBlock(db, confirmationDepth);
    if (block === null) return true;
    const addresses = await ledger.blockAddresses(block.hash);
    if (addresses === null) return isListing(context, block);
    await unitOfWork(({ tx }) => recordTouched(tx, block, addresses));
  }
}

/**
 * Whether a ledger lists addresses that has none of a block: one that does not know the block may, and one that knows it does not where it lists
 * none of the first followed block either. Throws LEDGER_UNAVAILABLE where it does: one of its backends lags behind.
 */
async function isListing({ db, ledger }: WorkerContext, { hash }: Pick<FollowedBlock, 'hash'>): Promise<boolean> {
  if ((await ledger.block(hash)) === null) return true;
  const height = await firstFollowedHeight(db);
  const first = height === null ? null : await followedBlock(db, height);
  if (first === null || (await ledger.blockAddresses(first.hash)) === null) return false;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the addresses of block ${hash} are not listed yet` });
}
