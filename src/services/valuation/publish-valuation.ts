import { setPublishedValuation } from '../../store/valued-vaults.ts';
import { findVault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../publish.ts';
import { countLowValuation } from './count-low-valuation.ts';
import { valueVault } from './read-valuation.ts';

type Context = Pick<ServiceContext, 'db' | 'readingTime' | 'unitOfWork' | 'durationBounds'>;

/** Publishes the valuation of a vault when it is another one than the last that was published. */
export async function publishValuation(context: Context, vaultId: string): Promise<void> {
  const vault = await findVault(context.db, vaultId);
  if (vault === null) return;
  const valuation = await valueVault(context, vault);
  const { totals, now } = valuation;
  await context.unitOfWork(async (work) => {
    await countLowValuation({ ...work, now }, vault, valuation, context.durationBounds.valuationAge.max);
    if (!(await setPublishedValuation(work.tx, vaultId, totals.total))) return;
    const data = {
      total: totals.total.toString(),
      nftValue: totals.nftValue.toString(),
      cntValue: totals.cntValue.toString(),
    };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(work, { event: { type: 'VALUATION_CHANGED', ...source, data } });
  });
}
