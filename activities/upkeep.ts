import { wallClock } from '../src/domain/clock.ts';
import { ServiceError } from '../src/domain/errors.ts';
import { type AssetClass, assetClassesInVaults, storePrice, vaultsHeldFor } from '../src/store/prices.ts';
import { deleteExpiredAnswers } from '../src/store/idempotency.ts';
import { countFreeVaultKeys, publishVaultKeys } from '../src/store/platform.ts';
import { deleteEndedWindows } from '../src/store/rate-limits.ts';
import { deleteSentNotices, noticeWorkflow } from '../src/store/workflow-notices.ts';
import type { UpkeepActivities } from '../src/temporal/activities.ts';
import { vaultWorkflowId } from '../src/temporal/workflow-ids.ts';
import type { WorkerDeps } from './deps.ts';

/** A notice younger than this is still on its ordinary way. */
const LOST_AFTER_MS = 2000;
const HELD_AT_ONCE = 100;
/** Free vault keys that are always ahead of demand. */
const KEYS_AHEAD = 200;
const PAGE = 100;

type Deps = Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'priceSource' | 'keys' | 'courier'>;

/** What Schedules run again and again. */
export function createUpkeepActivities(deps: Deps): UpkeepActivities {
  return {
    async sweep() {
      const now = new Date(wallClock.now());
      await wakeHeldVaults(deps);
      await publishKeysAhead(deps);
      await Promise.all([
        deleteExpiredAnswers(deps.db, now),
        deleteEndedWindows(deps.db, now),
        deleteSentNotices(deps.db),
      ]);
      return { sent: await deps.courier.deliverAll({ minAgeMs: LOST_AFTER_MS }) };
    },

    async refreshValuations() {
      let refreshed = 0;
      let after: AssetClass | null = null;
      for (;;) {
        const page: AssetClass[] = await assetClassesInVaults(deps.db, after, PAGE);
        refreshed += (await Promise.all(page.map((asset) => refreshPrice(deps, asset)))).filter(Boolean).length;
        after = page.at(-1) ?? null;
        if (page.length < PAGE) return { refreshed };
      }
    },
  };
}

/** Publishes vault keys until enough are free; the api can only promise addresses of published ones. */
export async function publishKeysAhead({ db, keys }: Pick<Deps, 'db' | 'keys'>): Promise<void> {
  const { free, nextIndex } = await countFreeVaultKeys(db);
  if (free >= KEYS_AHEAD / 2) return;
  const further = Array.from({ length: KEYS_AHEAD - free }, (_, offset) => {
    const index = nextIndex + offset;
    return { index, vaultKeyHash: keys.vaultKey(index).keyHash, policyKeyHash: keys.policyKey(index).keyHash };
  });
  await publishVaultKeys(db, further);
}

/** A vault that waits for prices looks again; it decides by itself whether they are good now (design D14). */
async function wakeHeldVaults({ db, unitOfWork, ids }: Deps): Promise<void> {
  const held = await vaultsHeldFor(db, ['stale_price', 'price_unavailable'], HELD_AT_ONCE);
  await unitOfWork(async ({ tx }) => {
    for (const vaultId of held) {
      await noticeWorkflow(tx, ids, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'pricesChanged' });
    }
  });
}

/** False when the feed has no price now; the last known one stays and shows its age. */
async function refreshPrice({ db, priceSource }: Deps, asset: AssetClass): Promise<boolean> {
  try {
    await storePrice(db, asset, await priceSource.priceOf(asset));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return false;
    throw error;
  }
}
