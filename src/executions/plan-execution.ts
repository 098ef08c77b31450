import type { ProposalEffect } from '../proposals/rules/effect.ts';
import { type Asset, lockAssetRows } from '../assets/queries/assets.ts';
import type { BoughtAsset } from './rules/execution.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { reserveNft } from '../assets/reserve-nft.ts';
import type { ServiceContext } from '../context.ts';
import { effectRules } from './rules/effects/rules-by-type.ts';
import { assetClassOf, boughtAsset } from './rules/market-value.ts';
import { stakingAddressesOf } from '../proposals/queries/governance-settings.ts';
import type { ExecutableProposal } from './executable-proposal.ts';
import type { ExecutionInput } from './execution-params.ts';
import { marketValue } from './market-value.ts';
import { type ExecutionPrefetch, requestedEffect } from './prefetch.ts';

/** What an execution will do. */
export interface ExecutionPlan {
  /** With no term left open. */
  readonly effect: ProposalEffect;
  readonly assets: readonly Asset[];
  /** Buyer, seller or holder; null when there is none. */
  readonly partner: string | null;
  /** Of a BUY. */
  readonly bought: BoughtAsset | null;
}

/** Decides every term that the vote left open, and locks the assets. Throws what the effect throws, and PRICE_UNAVAILABLE. */
export async function planExecution(
  context: TransactionContext,
  settings: Pick<ServiceContext, 'durationBounds'>,
  { params, executor }: ExecutionInput,
  { proposal, vault }: ExecutableProposal,
  { prices }: ExecutionPrefetch,
): Promise<ExecutionPlan> {
  const { effect: approved } = proposal;
  const requested = await requestedEffect(context.tx, proposal, params);
  const rules = effectRules[approved.type];
  const assets = await lockAssetRows(context.tx, approved.assetIds);
  const request = { approved, requested, executor: executor.address };
  const bought = approved.type === 'BUY' ? boughtAsset(approved, prices) : null;
  if (bought?.type === 'NFT' && approved.type === 'BUY')
    await reserveNft(context, assetClassOf(approved), executor.address);
  const valuation = await marketValue(context, settings, { approved, assets, vault, bought }, prices);
  const executing = { ...vault, stakingAddresses: stakingAddressesOf(vault) };
  const effect = rules.plan({ ...request, assets, valuation, vault: executing, bought });
  return { effect, assets, partner: rules.partner(request), bought };
}
