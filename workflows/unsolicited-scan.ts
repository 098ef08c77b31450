import { scanner } from './activity-proxies.ts';

/** Scans the addresses of all vaults for unsolicited outputs and reclaimed stakes, page by page. Run by a Schedule. */
export async function unsolicitedLook(): Promise<void> {
  let after: string | null = null;
  do after = await scanner.lookForUnsolicited({ after });
  while (after !== null);
}
