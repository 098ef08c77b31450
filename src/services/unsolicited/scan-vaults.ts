import { type Clock, wallClock } from '../../domain/units/clock.ts';
import { secondsAfter } from '../../domain/units/instant.ts';
import { vaultsOnLedger } from '../../store/unsolicited-scan-targets.ts';
import { resumeRotation } from '../rotations/resume-rotation.ts';
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

/** How far a scan of all vaults is. */
export interface ScanPosition {
  /** The last vault, by id, that is done; null at the beginning. */
  readonly vaultId: string | null;
  /** A later vault of which only the addresses up to this one are done. */
  readonly within: { readonly vaultId: string; readonly address: string } | null;
}

/** What came of scanning one page of vaults. */
export interface ScannedPage {
  /** Null when all vaults are done. */
  readonly next: ScanPosition | null;
  /** Number of vaults that were scanned, wholly or in part. */
  readonly scanned: number;
  /** The error of each vault that could not be scanned, by its id. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Scans the next vaults, one after the other while there is time; goes on past those that fail. */
export async function scanVaults(context: Context, from: ScanPosition, clock: Clock = wallClock): Promise<ScannedPage> {
  const now = await context.readingTime();
  const vaults = await vaultsOnLedger(context.db, from.vaultId, PAGE, now);
  const end = secondsAfter(clock.now(), SCAN_SECONDS);
  const isTimeUp = () => clock.now() > end;
  const failures = new Map<string, unknown>();
  let done: string | null = from.vaultId;
  for (const [position, vault] of vaults.entries()) {
    const after = from.within?.vaultId === vault.id ? from.within.address : null;
    try {
      const address = await scanVault(context, { vault, after, now, isTimeUp });
      if (address !== null)
        return { next: { vaultId: done, within: { vaultId: vault.id, address } }, scanned: position + 1, failures };
      await returnDuplicate(context, vault);
      await resumeRotation(context, vault);
    } catch (error) {
      failures.set(vault.id, error);
    }
    done = vault.id;
    if (isTimeUp()) return { next: { vaultId: done, within: null }, scanned: position + 1, failures };
  }
  const isLast = vaults.length < PAGE;
  return { next: isLast ? null : { vaultId: done, within: null }, scanned: vaults.length, failures };
}
