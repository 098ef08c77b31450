import { countValuation, type HeldValue, LOW_VALUATIONS_TO_END } from '../termination/rules/floor-price-deviation.ts';
import { lockLowValuations, setLowValuations } from './queries/low-valuations.ts';
import { isLiquidationSent } from '../proposals/queries/proposal-executions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { beginTermination } from '../termination/begin-termination.ts';
import type { VaultValuation } from './read-valuation.ts';

/** Counts a valuation of a settled vault that ends at a floor price deviation, and begins its end at the third in a row (design D30). A price older than `maxAge` seconds does not count. */
export async function countLowValuation(
  context: TransactionContext,
  { id, terms: { termination } }: Vault,
  { assets, now }: VaultValuation,
  maxAge: number,
): Promise<void> {
  if (termination.fdp === 0n) return;
  const counted = await lockLowValuations(context.tx, id);
  if (counted === null) return;
  const held = assets.map(({ asset, price, value }): HeldValue => {
    const pricedAt = asset.valuationMethod === 'custom' ? null : price.asOf;
    return { settled: asset.countedValue, current: value, pricedAt };
  });
  const next = countValuation(held, termination.fdp, counted, { now, maxAge });
  if (next.countedAt === counted.countedAt) return;
  await setLowValuations(context.tx, id, next);
  // A liquidation that was sent names recipients; if it does not land, the next low valuation ends the vault.
  if (next.count < LOW_VALUATIONS_TO_END || (await isLiquidationSent(context.tx, id))) return;
  await beginTermination(context, id, { reason: 'floor_price_deviation' });
}
