import { readPaymentAddress, readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { vaultAddresses } from '../../cardano/scripts/vault-addresses.ts';
import {
  type AddressSource,
  nextAddressSources,
  readAgainFrom,
  setWatchedUntil,
  watchAddresses,
  type WatchedAddress,
  dueAddresses,
  nextDueVault,
  recordAsked,
} from '../queries/addresses.ts';
import { followedTip } from '../queries/blocks.ts';
import { vaultRows, beginPass, endOfPass, findScannedVault } from '../queries/unsolicited-scan-targets.ts';
import {
  type ScannedPage,
  type ScanPosition,
  scanVaults,
  timeLimit,
  readTouched,
  scanAddresses,
  followUp,
} from './scan-vaults.ts';
import { decodeRow, decodeRows } from '../../platform/database/decode-rows.ts';
import { type Clock, wallClock, type Instant, secondsAfter } from '../../platform/units/time.ts';
import type { TransactionKind } from '../../transactions/rules.ts';
import { readVault, type VaultRow } from '../../vaults/queries/vaults.ts';
import type { WorkerContext } from '../../worker-context.ts';

const AT_ONCE = 500;
/** A transaction is recorded with the time at which its request began: it can appear so much later. */
const LATE_SECONDS = 600;
/** After a clock was ahead so much is read again; what is older is watched when the pass over all vaults comes to it. */
const READ_AGAIN_SECONDS = 86_400;

/** Those that bring an address of a depositor or a stake. */
const placeOf: Partial<Record<TransactionKind, 'deposit' | 'stake'>> = {
  add_asset: 'deposit',
  invest: 'deposit',
  stake: 'stake',
};
/** And those after which a vault has addresses of its own, at first or again. */
const ofVaults: readonly TransactionKind[] = ['create_vault', 'move_custody'];
const kinds = [...(Object.keys(placeOf) as TransactionKind[]), ...ofVaults];

/** Watches the addresses that vaults, their depositors and stakes have got since the last scan. */
async function watchNewAddresses(context: WorkerContext, now: Instant, isTimeUp: () => boolean): Promise<void> {
  const end = secondsAfter(now, -LATE_SECONDS);
  await readAgainFrom(context.db, new Date(secondsAfter(end, -READ_AGAIN_SECONDS)), { ifReached: new Date(end) });
  let before = 0;
  while (!isTimeUp()) {
    const sources = await nextAddressSources(context.db, kinds, AT_ONCE);
    const until = reachedBy(sources, end);
    const addresses = [...addressesOf(sources, context), ...(await ownAddresses(context, sources))];
    await context.unitOfWork(async ({ tx }) => {
      await watchAddresses(tx, addresses);
      await setWatchedUntil(tx, new Date(until));
    });
    if (sources.length < AT_ONCE || until <= before) return;
    before = until;
  }
}

/** The time up to which nothing is missing: of a kind with more transactions that of the last one. */
function reachedBy(sources: readonly AddressSource[], end: number): number {
  const lasts = kinds.map((kind) => {
    const ofKind = sources.filter((one) => one.kind === kind);
    return ofKind.length < AT_ONCE ? end : Number(ofKind.at(-1)?.createdAt);
  });
  return Math.min(...lasts);
}

function addressesOf(
  sources: readonly AddressSource[],
  { networkId }: Pick<WorkerContext, 'networkId'>,
): WatchedAddress[] {
  return sources.flatMap(({ kind: made, vaultId, wallet, addresses }) => {
    const kind = placeOf[made];
    if (kind === undefined) return [];
    const depositor = kind === 'deposit' ? wallet : null;
    // The rest of its outputs are the wallet's own, or were damaged.
    const scripts = addresses.filter(
      (address) => readPaymentKeyHash(address) === undefined && readPaymentAddress(address, networkId) !== undefined,
    );
    return scripts.map((address) => ({ kind, address, vaultId, depositor }));
  });
}

/** Those of a vault that cannot be read, or whose keys are none, are watched from the next pass over all vaults on, once it is fixed. */
async function ownAddresses(
  { db, networkId, onUnreadable }: WorkerContext,
  sources: readonly AddressSource[],
): Promise<WatchedAddress[]> {
  const ids = new Set(sources.filter(({ kind }) => ofVaults.includes(kind)).map(({ vaultId }) => vaultId));
  const nobody = { depositors: [], stakeAddresses: [] };
  const addressesOfVault = (row: VaultRow) =>
    decodeRow('vaults', row.id, () =>
      vaultAddresses(readVault(row), nobody, networkId).map((place) => ({ ...place, vaultId: row.id })),
    );
  return decodeRows(await vaultRows(db, [...ids]), addressesOfVault, onUnreadable).flat();
}

/** Half-hourly scans of a day: in so many parts every address is asked for, whatever the news. */
const PARTS_OF_A_PASS = 48;
const MIN_VAULTS = 20;

/**
 * One page of a scan: at first the addresses of which blocks have brought news, then a part of all vaults, or all of them when the ledger
 * does not list the addresses of a block.
 */
export async function scanPage(
  context: WorkerContext,
  from: ScanPosition | null,
  clock: Clock = wallClock,
): Promise<ScannedPage> {
  const isTimeUp = timeLimit(clock);
  const news = from === null ? await scanNews(context, isTimeUp) : null;
  const after =
    news && (await beginPass(context.db, { parts: PARTS_OF_A_PASS, atLeast: MIN_VAULTS, isWhole: !news.isListed }));
  const page = await scanVaults(context, from ?? { vaultId: after, within: null }, {
    until: await endOfPass(context.db),
    isTimeUp,
  });
  if (news === null) return page;
  const failures = new Map([...news.failures, ...page.failures]);
  return { next: page.next, scanned: news.scanned + page.scanned, failures };
}

/** Addresses of a vault that are scanned and recorded together. */
const ADDRESSES_AT_ONCE = 20;

/** What came of scanning the addresses of which there is news. */
interface ScannedNews extends Pick<ScannedPage, 'scanned' | 'failures'> {
  /** Whether the ledger lists the addresses of a block; otherwise there is never any news. */
  readonly isListed: boolean;
}

/**
 * Scans the addresses that final blocks have touched since the last scan, and those of blocks that were rolled back; continues past vaults
 * and a block that fail. What there is no time for is left to the next scan.
 */
export async function scanNews(context: WorkerContext, isTimeUp: () => boolean): Promise<ScannedNews> {
  const { db } = context;
  const now = await context.readingTime();
  await watchNewAddresses(context, now, isTimeUp);
  const failures = new Map<string, unknown>();
  const isListed = await readTouched(context, isTimeUp).catch((error: unknown) => {
    failures.set('blocks', error);
    return true;
  });
  let scanned = failures.size;
  let vaultId = await nextDueVault(db, null);
  while (vaultId !== null && !isTimeUp()) {
    scanned += 1;
    try {
      await scanDueAddresses(context, vaultId, now, isTimeUp);
    } catch (error) {
      failures.set(vaultId, error);
    }
    vaultId = await nextDueVault(db, vaultId);
  }
  return { isListed, scanned, failures };
}

async function scanDueAddresses(
  context: WorkerContext,
  vaultId: string,
  now: Instant,
  isTimeUp: () => boolean,
): Promise<void> {
  const { db, unitOfWork } = context;
  const vault = await findScannedVault(db, vaultId, now);
  let after = '';
  while (!isTimeUp()) {
    const places = await dueAddresses(db, vaultId, after, ADDRESSES_AT_ONCE);
    const [seen, last] = [await followedTip(db), places.at(-1)];
    if (seen === null || last === undefined) break;
    const addresses = places.map(({ address }) => address);
    if (vault) await scanAddresses(context, vault, places, now);
    else await unitOfWork(({ tx }) => recordAsked(tx, addresses, seen));
    after = last.address;
  }
  if (vault) await followUp(context, vault);
}
