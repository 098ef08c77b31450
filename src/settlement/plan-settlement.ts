import { assetsToPrice } from '../assets/add-assets.ts';
import { type FtDescription, tickerOf } from '../cardano/tokens/fractional-token.ts';
import { type TokenMetadata, vaultPage } from '../cardano/tokens/picture.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import { mapInBatches } from '../platform/async.ts';
import { UnreadableRow } from '../platform/database/decode-rows.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Failure } from '../platform/temporal/activity-types.ts';
import type { Instant } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import {
  freshPrice,
  type PricingContext,
  type DepositedAsset,
  readSealed,
  sealedPrice,
} from '../prices/fresh-price.ts';
import { publishAssetPrice } from '../prices/publish-asset-price.ts';
import { setCountedValues, setCountedPrice, vaultPrices } from '../prices/queries/prices.ts';
import type { Price } from '../prices/rules.ts';
import { pricedAsset } from '../prices/rules/priced-asset.ts';
import { detectReclaims, type UnspentDeposit, type UncertainDeposit, recordReclaims } from './reclaims.ts';
import { setReturnReasons, type DepositPages, PAGE } from './queries/payments.ts';
import { findPlan, storePlan } from './queries/settlements.ts';
import { distributeToCounted } from './rules/deposits.ts';
import type { DistributionFailure } from './rules/distribution.ts';
import { settlementInput } from './settlement-input.ts';
import { endHold, holdVault, releaseVault } from '../vaults/holds.ts';
import { setFailureReason } from '../vaults/queries/vault-changes.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import { getWindows } from '../vaults/queries/windows.ts';
import { refundReasonOf } from '../vaults/rules/vault.ts';
import { type WindowKind, isLastDay } from '../vaults/rules/window.ts';
import { transitionWindow } from '../vaults/transitions.ts';
import { vaultFailedEvent } from '../vaults/end-vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Computes and stores the plan of a vault's settlement (design D13); returns why there is none when the vault fails. */
export function planSettlement(
  { unitOfWork, lpMinimum }: Pick<ServiceContext, 'unitOfWork' | 'lpMinimum'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Failure | null> {
  return unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    await lockExclusive(tx, `vault:${vaultId}`);
    const vault = await getVault(tx, vaultId);
    const reason = refundReasonOf(vault.failedBecause);
    if (reason !== null) return { reason };
    if ((await findPlan(tx, vaultId)) !== null) return null;
    // Planning that has failed until T cannot keep the deposits any longer (design D46).
    if (now >= vault.settlesBy) return { reason: 'settlement_deadline' };

    const input = await settlementInput(tx, vault, lpMinimum);
    const plan = distributeToCounted(input);
    if (plan.kind === 'fails') {
      await failPlanning(context, vaultId, plan.reason);
      return { reason: plan.reason };
    }
    const { counted, ...stored } = plan;
    await storePlan(context, vaultId, stored);
    await setReturnReasons(context, plan.returned);
    await setCountedValues(tx, counted);
    const data = { value: plan.value.toString(), invested: plan.invested.toString(), fdv: plan.fdv.toString() };
    const event = { type: 'SETTLEMENT_PLANNED', transactionHash: null, data, ...platformEventFields(vaultId) } as const;
    await publish(context, { event });
    await endHold(context, vaultId, 'repeated_failures');
    return null;
  });
}

/** The window that has failed when a distribution fails (design D7). */
const failedWindows: Record<DistributionFailure, WindowKind> = {
  no_assets: 'asset',
  reserve_not_reached: 'investment',
  lp_below_minimum: 'investment',
};

async function failPlanning(context: TransactionContext, vaultId: string, reason: DistributionFailure): Promise<void> {
  const { tx } = context;
  const window = (await getWindows(tx, vaultId))[failedWindows[reason]];
  if (window.status !== 'FAILED') await transitionWindow(context, vaultId, window, 'FAILED');
  if (await setFailureReason(context, vaultId, reason)) await publish(context, vaultFailedEvent(vaultId, reason));
}

/** Named as the source of the price of an asset that has none. */
const NO_PRICE = 'none';
/** As in assets-to-price.ts. */
const ASKED_AT_ONCE = 50;

/**
 * Fixes the price of each asset of a vault (design D12, D14). Returns false while one of them has no fresh price; the vault
 * then shows a hold. From a day before T on, such an asset among others counts as worth nothing and goes back to its owner, so that it
 * cannot fail the vault for all.
 */
export async function priceAssets(
  context: Pick<ServiceContext, 'unitOfWork' | 'ledger'> & PricingContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  const { db, unitOfWork, keys } = context;
  // Assets that came into the vault after the plan have no part in it.
  if ((await findPlan(db, vaultId)) !== null) return true;
  const vault = await getVault(db, vaultId);
  if (now >= vault.settlesBy) return false;
  const assets = await assetsToPrice(context, vaultId);
  const prices = await vaultPrices(db, [vaultId]);
  const setPrice = (asset: DepositedAsset, price: Price) =>
    unitOfWork(async (work) => {
      const isSet = await setCountedPrice(work.tx, asset, sealedPrice(keys, 'counted', asset, price));
      const shown = pricedAsset(asset, vault.terms, prices).price;
      if (isSet) await publishAssetPrice({ ...work, now }, asset, price, shown);
    });
  // One that is not sealed was not decided by a worker.
  const toPrice = assets.filter((asset) => readSealed(keys, 'counted', asset) === null);
  const missing = await mapInBatches(toPrice, ASKED_AT_ONCE, async (asset) => {
    const price = await freshPrice(context, vault, asset, now);
    if (typeof price === 'string') return { asset, reason: price };
    await setPrice(asset, price);
    return null;
  });
  const unpriced = missing.filter((one) => one !== null);
  const [first] = unpriced;
  if (first && !(isLastDay(vault.settlesBy, now) && unpriced.length < assets.length)) {
    await unitOfWork((transaction) => holdVault({ ...transaction, now }, vaultId, first.reason));
    return false;
  }
  for (const { asset } of unpriced) {
    await setPrice(asset, { ...asset.price, lovelace: lovelace(0n), asOf: now, source: NO_PRICE });
  }
  await unitOfWork((transaction) => releaseVault({ ...transaction, now }, vaultId));
  return true;
}

export interface NextUnspent {
  readonly present: readonly UnspentDeposit[];
  /** Those found on the way that may have been reclaimed; they keep no others waiting. */
  readonly uncertain: readonly UncertainDeposit[];
}

/**
 * The next deposits that are still in the vault, as many as may fit into one transaction; records the reclaims that it finds on the
 * way to them. `pages` begins again each time.
 */
export async function nextUnspentDeposits(
  context: WorkerContext,
  vault: Vault,
  pages: () => DepositPages,
  now: Instant,
): Promise<NextUnspent> {
  for (;;) {
    const seen = await followedTip(context.db);
    const found = await detectReclaims(context, vault, pages(), { now, limit: PAGE, seen });
    const { present, reclaims, uncertain } = found;
    for (const { error } of uncertain) if (error instanceof UnreadableRow) context.onUnreadable(error);
    if (reclaims.length > 0)
      await context.unitOfWork((transaction) => recordReclaims({ ...transaction, now }, vault.id, { reclaims, seen }));
    if (present.length > 0 || reclaims.length === 0) return { present, uncertain };
  }
}

/** What wallets show for the fractional token of a vault. */
export function ftDescription({ id, name, terms }: Vault, metadata: TokenMetadata): FtDescription {
  return {
    name,
    ticker: tickerOf(name),
    decimals: terms.ftDecimals,
    logo: metadata.image,
    url: vaultPage(metadata, id),
  };
}
