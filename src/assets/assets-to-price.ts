import { settleAll, throwFailures } from '../platform/errors/failures.ts';
import { presentOrMissingAssets } from './queries/vault-assets.ts';
import type { ServiceContext } from '../context.ts';
import { type DepositedAsset, withDeposits } from '../prices/sealed-prices.ts';
import { checkSupply } from './check-supply.ts';

/** A vault has a hundred assets at most, and no answer takes ten seconds: the activity that waits has a minute. */
const ASKED_AT_ONCE = 50;

/**
 * The assets of a vault that its settlement prices. The supply of those that is unknown since they arrived is asked for again; not
 * that of others, of which whoever owns the policy could mint more at any time.
 */
export async function assetsToPrice(
  context: Pick<ServiceContext, 'db' | 'ledger'>,
  vaultId: string,
): Promise<readonly DepositedAsset[]> {
  const assets = await presentOrMissingAssets(context.db, vaultId);
  const unchecked = assets.filter(({ supplyUnchecked, countedPrice }) => supplyUnchecked && countedPrice === null);
  if (unchecked.length === 0) return withDeposits(context.db, assets);
  const failures = await settleAll(unchecked, ASKED_AT_ONCE, (asset) =>
    checkSupply(context, { ...asset, transactionId: asset.addTransactionId }),
  );
  throwFailures(failures);
  return withDeposits(context.db, await presentOrMissingAssets(context.db, vaultId));
}
