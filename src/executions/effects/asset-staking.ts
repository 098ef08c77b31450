import { setStakingAddress } from '../../assets/queries/asset-changes.ts';
import type { Execution } from '../queries/executions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Staked assets are at one of the vault's staking addresses. */
export const stake: ExecutionEffect = {
  apply: (context, execution) => recordPlace(context, execution, 'out'),
  undo: (context, execution) => recordPlace(context, execution, 'back'),
};

async function recordPlace(context: TransactionContext, { effect }: Execution, outWhen: 'out' | 'back'): Promise<void> {
  if (effect.type !== 'STAKE') throw new Error(`${effect.type} stakes nothing`);
  const { direction, stakingAddress } = effect.terms;
  await setStakingAddress(context, effect.assetIds, direction === outWhen ? stakingAddress : null);
}
