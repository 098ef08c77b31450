import { type Clock, wallClock } from '../../platform/units/clock.ts';
import { beginPass, endOfPass } from '../queries/unsolicited-scan-targets.ts';
import { scanNews } from './scan-news.ts';
import { type ScanContext, type ScannedPage, type ScanPosition, scanVaults, timeLimit } from './scan-vaults.ts';

/** Half-hourly scans of a day: in so many parts every address is asked for, whatever the news. */
const PARTS_OF_A_PASS = 48;
const MIN_VAULTS = 20;

/**
 * One page of a scan: at first the addresses of which blocks have brought news, then a part of all vaults, or all of them when the ledger
 * does not list the addresses of a block. Throws LEDGER_UNAVAILABLE.
 */
export async function scanPage(
  context: ScanContext,
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
