import { distribute, type DistributionFailure } from '../src/domain/settlement/distribution.ts';
import { ServiceError } from '../src/domain/errors.ts';
import type { HoldReason } from '../src/domain/vault/hold.ts';
import type { Instant } from '../src/domain/units/instant.ts';
import { isStale, type Price } from '../src/domain/asset/valuation.ts';
import { refundReasonOf } from '../src/domain/vault/vault.ts';
import type { WindowKind } from '../src/domain/vault/window.ts';
import type { Asset } from '../src/store/assets.ts';
import { presentOrMissingAssets } from '../src/store/vault-assets.ts';
import { setCountedPrice } from '../src/store/asset-changes.ts';
import { setFailureReason } from '../src/store/vault-changes.ts';
import { getVault, type Vault } from '../src/store/vaults.ts';
import { recordEvent } from '../src/store/events.ts';
import { closeFence } from '../src/store/fences.ts';
import { storePrice } from '../src/store/prices.ts';
import { settlementInput } from '../src/services/settlements/settlement-input.ts';
import { findPlan, storePlan } from '../src/store/settlements.ts';
import { transitionWindow } from '../src/services/vaults/transitions.ts';
import { platformEventFields } from '../src/services/publish.ts';
import { getWindows } from '../src/store/windows.ts';
import type { VaultActivities } from '../src/temporal/activities.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { holdVault, releaseVault } from '../src/services/vaults/holds.ts';

type Deps = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ids' | 'priceSource' | 'durationBounds' | 'lpMinimum'>;

/** Pricing and the plan of the settlement (design D12-D14). */
export function createPlanningActivities(deps: Deps): Pick<VaultActivities, 'priceAssets' | 'planSettlement'> {
  const { db, unitOfWork, ids } = deps;
  return {
    async priceAssets({ vaultId, now }) {
      // What has come into the vault since is counted by nobody.
      if ((await findPlan(db, vaultId)) !== null) return true;
      const vault = await getVault(db, vaultId);
      const assets = await presentOrMissingAssets(db, vaultId);
      for (const asset of assets.filter(({ countedPrice }) => countedPrice === null)) {
        const price = await freshPrice(deps, vault, asset, now);
        if (typeof price === 'string') {
          await unitOfWork(({ tx }) => holdVault({ tx, ids, now }, vaultId, price));
          return null;
        }
        await unitOfWork(({ tx }) => setCountedPrice(tx, asset.id, price.lovelace));
      }
      await unitOfWork(({ tx }) => releaseVault({ tx, ids, now }, vaultId));
      return true;
    },

    planSettlement({ vaultId, now }) {
      return unitOfWork(async ({ tx }) => {
        await closeFence(tx, `vault:${vaultId}`);
        const vault = await getVault(tx, vaultId);
        const reason = refundReasonOf(vault.failedBecause);
        if (reason !== null) return { reason };
        if ((await findPlan(tx, vaultId)) !== null) return null;

        const plan = distribute(await settlementInput(tx, vault, deps.lpMinimum));
        if (plan.kind === 'fails') {
          const window = (await getWindows(tx, vaultId))[blame[plan.reason]];
          if (window.status !== 'FAILED') await transitionWindow({ tx, ids, now }, vaultId, window, 'FAILED');
          await setFailureReason(tx, vaultId, plan.reason, now);
          return { reason: plan.reason };
        }
        await storePlan(tx, vaultId, plan, now);
        const data = { value: plan.value.toString(), invested: plan.invested.toString(), fdv: plan.fdv.toString() };
        const event = {
          type: 'SETTLEMENT_PLANNED',
          transactionHash: null,
          data,
          ...platformEventFields(vaultId),
        } as const;
        await recordEvent({ tx, ids, now }, event);
        return null;
      });
    },
  };
}

/** The window whose outcome a failure is (design D7). */
const blame: Record<DistributionFailure, WindowKind> = {
  no_assets: 'asset',
  reserve_not_reached: 'investment',
  lp_below_minimum: 'investment',
};

/** FIXED keeps the price of the contribution; LBE takes one that is fresh now, or says why there is none. */
export async function freshPrice(
  { db, priceSource, durationBounds }: Pick<WorkerContext, 'db' | 'priceSource' | 'durationBounds'>,
  { terms }: Vault,
  asset: Asset,
  now: Instant,
): Promise<Price | HoldReason> {
  if (terms.valuationType === 'FIXED' || asset.valuationMethod === 'custom') return asset.price;
  try {
    const price = await priceSource.priceOf(asset);
    // Another whole token than the quantity was measured in: its price would count a millionfold, or for nothing.
    if (price.decimals !== asset.price.decimals) return 'price_unavailable';
    await storePrice(db, asset, price);
    return isStale(price, now, durationBounds.valuationAge.max) ? 'stale_price' : price;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return 'price_unavailable';
    throw error;
  }
}
