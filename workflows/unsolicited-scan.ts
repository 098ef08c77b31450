import { scanner } from './activity-proxies.ts';
import { restartBetweenPages } from './restart.ts';

/** Scans the addresses of all vaults for unsolicited outputs and reclaimed stakes, page by page. Run by a Schedule. */
export async function unsolicitedLook(from: string | null = null): Promise<void> {
  let after = from;
  do {
    after = await scanner.lookForUnsolicited({ after });
    if (after !== null) await restartBetweenPages(after);
  } while (after !== null);
}
