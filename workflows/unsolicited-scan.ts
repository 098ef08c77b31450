import { scanner } from './activity-proxies.ts';
import { restartWhenLong } from './restart.ts';

/** Scans the addresses of all vaults for unsolicited outputs and reclaimed stakes, page by page. Run by a Schedule. */
export async function unsolicitedScan(from: string | null = null): Promise<void> {
  let after = from;
  do {
    after = await scanner.scanForUnsolicited({ after });
    if (after !== null) await restartWhenLong(after);
  } while (after !== null);
}
