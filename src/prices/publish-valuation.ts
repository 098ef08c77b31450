import { lockVaultToValue, setPublishedValuation } from './queries/published-valuations.ts';
import { findValuedVault } from './queries/valued-vaults.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { countLowValuation } from './count-low-valuation.ts';
import { valueVault } from './read-valuation.ts';

type Context = Pick<ServiceContext, 'unitOfWork' | 'durationBounds'>;

/**
 * Publishes the valuation of a vault when it is another one than the last that was published. It is read behind the lock of the vault, so
 * that an older valuation never follows a newer one.
 */
export async function publishValuation({ unitOfWork, durationBounds }: Context, vaultId: string): Promise<void> {
  await unitOfWork(async (context) => {
    const { tx, now } = context;
    const vault = await lockVaultToValue(tx, vaultId);
    const valued = await findValuedVault(tx, vaultId, 'everyone');
    if (vault === null || valued === null) return;
    const valuation = valueVault(valued, now);
    await countLowValuation(context, vault, valuation, durationBounds.valuationAge.max);
    const { total, nftValue, cntValue } = valuation.totals;
    if (!(await setPublishedValuation(tx, vaultId, total))) return;
    const data = { total: total.toString(), nftValue: nftValue.toString(), cntValue: cntValue.toString() };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(context, { event: { type: 'VALUATION_CHANGED', ...source, data } });
  });
}
