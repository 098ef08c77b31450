import type { Instant } from '../../platform/units/instant.ts';
import { dueAddresses, nextDueVault, recordAsked } from '../queries/address-news.ts';
import { followedTip } from '../queries/blocks.ts';
import { findScannedVault } from '../queries/unsolicited-scan-targets.ts';
import { readTouched } from './read-touched.ts';
import { scanAddresses } from './scan-vault.ts';
import { followUp, type ScanContext, type ScannedPage } from './scan-vaults.ts';
import { watchNewAddresses } from './watch-addresses.ts';

/** Addresses of a vault that are scanned and recorded together. */
const ADDRESSES_AT_ONCE = 20;

/** What came of scanning the addresses of which there is news. */
export interface ScannedNews extends Pick<ScannedPage, 'scanned' | 'failures'> {
  /** Whether the ledger lists the addresses of a block; otherwise there is never any news. */
  readonly isListed: boolean;
}

/**
 * Scans the addresses that final blocks have touched since the last scan, and those of blocks that were rolled back; goes on past vaults
 * and a block that fail. What there is no time for is left to the next scan.
 */
export async function scanNews(context: ScanContext, isTimeUp: () => boolean): Promise<ScannedNews> {
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
  context: ScanContext,
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
