import { wallClock } from '../../domain/units/clock.ts';
import { secondsAfter } from '../../domain/units/instant.ts';
import { vaultsOnLedger } from '../../store/unsolicited-scan-targets.ts';
import type { WorkerContext } from '../worker-context.ts';
import { returnDuplicate } from './return-duplicates.ts';
import { scanVault } from './scan-vault.ts';

const PAGE = 20;
/** A page ends early after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const SCAN_SECONDS = 600;

type Context = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'readingTime' | 'ledger' | 'networkState' | 'networkId' | 'confirmationDepth'
>;

/** What came of scanning one page of vaults. */
export interface ScannedPage {
  /** The ids of the scanned vaults, in order, with those that failed. */
  readonly vaultIds: readonly string[];
  readonly isLast: boolean;
  /** The error of each vault that could not be scanned, by its id. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Scans the next vaults after `lastVaultId`, one after the other while there is time; goes on past those that fail. */
export async function scanVaults(context: Context, lastVaultId: string | null): Promise<ScannedPage> {
  const now = await context.readingTime();
  const vaults = await vaultsOnLedger(context.db, lastVaultId, PAGE, now);
  const end = secondsAfter(wallClock.now(), SCAN_SECONDS);
  const vaultIds: string[] = [];
  const failures = new Map<string, unknown>();
  for (const vault of vaults) {
    try {
      await scanVault(context, vault, now);
      await returnDuplicate(context, vault);
    } catch (error) {
      failures.set(vault.id, error);
    }
    vaultIds.push(vault.id);
    if (wallClock.now() > end) break;
  }
  return { vaultIds, isLast: vaultIds.length === vaults.length && vaults.length < PAGE, failures };
}
