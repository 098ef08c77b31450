import { settleAll, throwFailures } from '../platform/errors.ts';
import { isLastDay } from './rules/window.ts';
import { vaultsHeldFor } from './queries/windows.ts';
import { getVault } from './queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { assetsToPrice } from '../assets/add-assets.ts';
import type { ServiceContext } from '../context.ts';
import { freshPrice, type PricingContext, readSealed } from '../prices/fresh-price.ts';

const MAX_VAULTS = 100;

type Context = Pick<ServiceContext, 'unitOfWork' | 'readingTime' | 'ledger'> & PricingContext;

/** So many vaults are looked at together: a price feed that does not respond delays a pass by seconds, not by minutes. */
const CONCURRENT = 20;

/**
 * Signals the vaults that wait for prices and now have a fresh one for each asset, or no time left to wait; their workflows fix the
 * prices (design D14). One that fails does not keep the others waiting; throws an AggregateError at the end.
 */
export async function wakeHeldVaults(context: Context): Promise<void> {
  const held = await vaultsHeldFor(context.db, ['stale_price', 'price_unavailable'], MAX_VAULTS);
  const failures = await settleAll(held, CONCURRENT, (vaultId) => wakeVault(context, vaultId));
  throwFailures(failures, `${failures.length} vaults that wait for prices could not be checked`);
}

async function wakeVault(context: Context, vaultId: string): Promise<void> {
  if (!(await canBePriced(context, vaultId))) return;
  const signal = { kind: 'signal', signal: 'pricesChanged' } as const;
  await context.unitOfWork((transaction) => enqueueWorkflowMessage(transaction, vaultWorkflowId(vaultId), signal));
}

async function canBePriced(context: Context, vaultId: string): Promise<boolean> {
  const now = await context.readingTime();
  const vault = await getVault(context.db, vaultId);
  const assets = await assetsToPrice(context, vaultId);
  if (isLastDay(vault.settlesBy, now) && assets.some(({ countedPrice }) => countedPrice !== null)) return true;
  for (const asset of assets) {
    if (readSealed(context.keys, 'counted', asset) !== null) continue;
    if (typeof (await freshPrice(context, vault, asset, now)) === 'string') return false;
  }
  return true;
}
