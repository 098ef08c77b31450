import { wallClock } from '../src/domain/units/clock.ts';
import { ServiceError } from '../src/domain/errors.ts';
import { assetClassesInVaults, presentOrMissingAssets } from '../src/store/vault-assets.ts';
import { type AssetClass, storePrice } from '../src/store/prices.ts';
import { vaultsHeldFor } from '../src/store/holds.ts';
import { countFreeVaultKeys, publishVaultKeys } from '../src/store/vault-keys.ts';
import { deleteExpiredAnswers } from '../src/store/idempotency.ts';
import { deleteExpiredNonces } from '../src/store/nonces.ts';
import { deleteExpiredSessions } from '../src/store/sessions.ts';
import { deleteEndedWindows } from '../src/store/rate-limits.ts';
import { deleteSentMessages, enqueueWorkflowMessage } from '../src/store/workflow-outbox.ts';
import type { UpkeepActivities } from '../src/temporal/activities.ts';
import { vaultWorkflowId } from '../src/temporal/workflow-ids.ts';
import { getVault } from '../src/store/vaults.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { fanOutOperatorFunds } from './operator-supply.ts';
import { freshPrice } from './planning.ts';

/** A notice younger than this is still on its ordinary way. */
const LOST_AFTER_MS = 2000;
const HELD_AT_ONCE = 100;
/** Free vault keys that are always ahead of demand. */
const KEYS_AHEAD = 200;
const PAGE = 100;

type Deps = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ids' | 'priceSource' | 'durationBounds' | 'keys' | 'outboxRelay' | 'ledger' | 'networkState'
>;

/** What Schedules run again and again. */
export function createUpkeepActivities(deps: Deps): UpkeepActivities {
  return {
    async sweep() {
      const now = new Date(wallClock.now());
      let sent = 0;
      // What asks others comes last: the ledger and the price feed may be away, or slow for as long as a sweep may take.
      await eachInTurn([
        () => publishKeysAhead(deps),
        () => forgetWhatIsOver(deps, now),
        async () => (sent = await deps.outboxRelay.deliverAll({ minAgeMs: LOST_AFTER_MS })),
        () => fanOutOperatorFunds(deps),
        () => wakeHeldVaults(deps),
      ]);
      deps.outboxRelay.deliver();
      return { sent };
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

/** Does one after the other, the later ones too when an earlier one fails; throws at the end what has failed. */
async function eachInTurn(duties: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const duty of duties) {
    try {
      await duty();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

async function forgetWhatIsOver({ db }: Deps, now: Date): Promise<void> {
  await Promise.all([
    deleteExpiredNonces(db, now),
    deleteExpiredSessions(db, now),
    deleteExpiredAnswers(db, now),
    deleteEndedWindows(db, now),
    deleteSentMessages(db),
  ]);
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

/** Wakes the vaults that wait for prices and whose prices are all good again; they take them by themselves (design D14). */
async function wakeHeldVaults(deps: Deps): Promise<void> {
  const held = await vaultsHeldFor(deps.db, ['stale_price', 'price_unavailable'], HELD_AT_ONCE);
  for (const vaultId of held) {
    if (!(await pricesAreGood(deps, vaultId))) continue;
    const signal = { kind: 'signal', signal: 'pricesChanged' } as const;
    await deps.unitOfWork(({ tx }) => enqueueWorkflowMessage({ tx, ids: deps.ids }, vaultWorkflowId(vaultId), signal));
  }
}

async function pricesAreGood(deps: Deps, vaultId: string): Promise<boolean> {
  const now = await deps.unitOfWork((work) => Promise.resolve(work.now));
  const vault = await getVault(deps.db, vaultId);
  for (const asset of await presentOrMissingAssets(deps.db, vaultId)) {
    if (asset.countedPrice === null && typeof (await freshPrice(deps, vault, asset, now)) === 'string') return false;
  }
  return true;
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
