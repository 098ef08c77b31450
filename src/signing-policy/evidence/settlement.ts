import { requireJust } from '../judged.ts';
import { owedDeliveries } from '../../settlement/queries/owed-deliveries.ts';
import type { Gather } from './evidence-context.ts';
import { landedMint } from './landed-mint.ts';
import { committedPlan } from './settlement-plan.ts';
import { gatherSettledVault } from './settled-vault.ts';

export const gatherDelivery: Gather<'deliver'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { vault, ftUnit } = settled;
  const [owed, plan] = await Promise.all([owedDeliveries(context.db, recorded.id), committedPlan(context, settled)]);
  return { vault, ftUnit, owed, plan };
};

/** The float is what the bytes of the mint on the ledger say. */
export const gatherLiquidity: Gather<'liquidity'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { vault, ftUnit } = settled;
  const { outputs } = await landedMint(context, settled);
  const minted = outputs.find(({ address, assets }) => address === vault.settlement && assets.has(ftUnit));
  requireJust(minted !== undefined, 'its vault has no mint');
  return { vault, ftUnit, liquidityAddress: context.liquidityAddress ?? vault.liquidity, float: minted.lovelace };
};
