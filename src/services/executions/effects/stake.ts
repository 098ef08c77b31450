import { buildAssetReturn, buildAssetStaking } from '../../../chain/build/asset-staking.ts';
import { custodyPayer } from '../../../chain/build/custody.ts';
import type { Payer } from '../../../chain/build/funding.ts';
import type { BuiltTransaction, Utxo } from '../../../chain/transaction.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type ProposalEffect } from '../../../domain/proposal/effect.ts';
import { setStakingAddress } from '../../../store/asset-changes.ts';
import { governanceSettings } from '../../../store/governance-settings.ts';
import type { TransactionContext } from '../../../store/transaction-context.ts';
import type { Execution } from '../../../store/executions.ts';
import type { Vault } from '../../../store/vaults.ts';
import { requireInCustody, unitsOf, utxosInCustody } from './custody-holding.ts';
import {
  type ExecutionEffect,
  type EvaluatedRequest,
  type EffectInputs,
  requireOperator,
  requirePartner,
} from './effect.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';

type Staking = Extract<ProposalEffect, { type: 'STAKE' }>;

/** Assets to one of the vault's staking addresses, or from there back into custody. */
export const stake: ExecutionEffect<Staking> = {
  mayNeedOperator: true,
  partner: ({ approved: { terms } }) => (terms.direction === 'back' ? terms.stakingAddress : null),

  plan(judged) {
    const { approved, requested } = judged;
    requireApproved(approved, requested, null);
    if (approved.terms.direction === 'back') requireStaked(judged);
    else requireInCustody(judged.assets);
    requireListed(approved, judged.vault);
    return approved;
  },

  buildTransaction(material) {
    const { chain, custody, assets: staked, effect, ttlSlot } = material;
    const assets = unitsOf(staked);
    const move = { custody, assets, ttlSlot };
    const { direction, stakingAddress } = effect.terms;
    if (direction === 'back') {
      const holder = requirePartner(material);
      return paidByWhoCan(material, [], (payer) => buildAssetReturn(chain, { ...move, payer, holder }));
    }
    const holding = utxosInCustody(material, assets);
    return paidByWhoCan(material, holding, (payer) => {
      return buildAssetStaking(chain, { ...move, payer, holding, stakingAddress });
    });
  },

  apply: (scene, execution) => place(scene, execution, 'out'),
  undo: (scene, execution) => place(scene, execution, 'back'),
};

/** The vault pays (design D13b), or the operator for one that has no ADA it may spend, as when it has just settled. */
function paidByWhoCan(
  material: EffectInputs,
  holding: readonly Utxo[],
  build: (payer: Payer) => BuiltTransaction,
): BuiltTransaction {
  // What already goes in cannot pay for it a second time.
  const others = material.free.filter((utxo) => !holding.includes(utxo));
  try {
    return build(custodyPayer(material.custody, others));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS') throw error;
    return build(requireOperator(material));
  }
}

async function place({ tx, now }: TransactionContext, { effect }: Execution, awayIn: 'out' | 'back'): Promise<void> {
  if (effect.type !== 'STAKE') throw new Error(`${effect.type} stakes nothing`);
  const { direction, stakingAddress } = effect.terms;
  await setStakingAddress(tx, effect.assetIds, direction === awayIn ? stakingAddress : null, now);
}

/** Throws STAKING_ADDRESS_NOT_LISTED with the addresses at which the vault may stake. */
export function requireListed({ terms: { stakingAddress: address } }: Staking, vault: Vault): void {
  const { stakingAddresses: listed = [] } = governanceSettings(vault);
  if (!listed.includes(address)) throw new ServiceError('STAKING_ADDRESS_NOT_LISTED', { address, listed });
}

function requireStaked({ approved: { terms }, assets }: EvaluatedRequest<Staking>): void {
  const elsewhere = assets.filter(({ status, stakingAddress }) => {
    return status !== 'LOCKED' || stakingAddress !== terms.stakingAddress;
  });
  if (elsewhere.length > 0) throw new ServiceError('ASSET_NOT_STAKED', { assetIds: elsewhere.map(({ id }) => id) });
}
