import { type Clock, wallClock } from '../../platform/units/clock.ts';
import { secondsAfter } from '../../platform/units/instant.ts';
import { vaultsOnLedger } from '../queries/unsolicited-scan-targets.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import { resumeRotation } from '../../rotation/resume-rotation.ts';
import type { WorkerContext } from '../../worker-context.ts';
import { returnDuplicate } from './return-duplicates.ts';
import { scanVault } from './scan-vault.ts';

const PAGE = 20;
/** A page ends early after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const SCAN_SECONDS = 600;

/** Whether the time of a page is up. */
export function timeLimit(clock: Clock = wallClock): () => boolean {
  const end = secondsAfter(clock.now(), SCAN_SECONDS);
  return () => clock.now() > end;
}

export type ScanContext = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'readingTime' | 'ledger' | 'networkState' | 'networkId' | 'confirmationDepth' | 'onUnreadable'
>;

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

/** Scans the next vaults up to one, one after the other while there is time; goes on past those that fail. */
export async function scanVaults(
  context: ScanContext,
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

/** Does for a vault what its scanned addresses give rise to. Throws LEDGER_UNAVAILABLE. */
export async function followUp(context: ScanContext, vault: Vault): Promise<void> {
  await returnDuplicate(context, vault);
  await resumeRotation(context, vault);
}
