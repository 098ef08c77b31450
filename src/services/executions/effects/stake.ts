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

/** Moves assets to one of the vault's staking addresses, or from there back into custody. */
export const stake: ExecutionEffect<Staking> = {
  mayNeedOperator: true,
  partner: ({ approved: { terms } }) => (terms.direction === 'back' ? terms.stakingAddress : null),

  plan(request) {
    const { approved, requested } = request;
    requireApproved(approved, requested, null);
    if (approved.terms.direction === 'back') requireStaked(request);
    else requireInCustody(request.assets);
    requireListed(approved, request.vault);
    return approved;
  },

  buildTransaction(inputs) {
    const { chain, custody, assets: staked, effect, ttlSlot } = inputs;
    const assets = unitsOf(staked);
    const move = { custody, assets, ttlSlot };
    const { direction, stakingAddress } = effect.terms;
    if (direction === 'back') {
      const holder = requirePartner(inputs);
      return buildWithPayer(inputs, [], (payer) => buildAssetReturn(chain, { ...move, payer, holder }));
    }
    const holding = utxosInCustody(inputs, assets);
    return buildWithPayer(inputs, holding, (payer) => {
      return buildAssetStaking(chain, { ...move, payer, holding, stakingAddress });
    });
  },

  apply: (context, execution) => recordPlace(context, execution, 'out'),
  undo: (context, execution) => recordPlace(context, execution, 'back'),
};

/** Builds with the vault as payer (design D13b), or with the operator when the vault has too little ADA, as after its settlement. */
function buildWithPayer(
  inputs: EffectInputs,
  holding: readonly Utxo[],
  build: (payer: Payer) => BuiltTransaction,
): BuiltTransaction {
  // The assets' UTxOs are inputs already and cannot pay as well.
  const others = inputs.free.filter((utxo) => !holding.includes(utxo));
  try {
    return build(custodyPayer(inputs.custody, others));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS') throw error;
    return build(requireOperator(inputs));
  }
}

async function recordPlace(
  { tx, now }: TransactionContext,
  { effect }: Execution,
  outWhen: 'out' | 'back',
): Promise<void> {
  if (effect.type !== 'STAKE') throw new Error(`${effect.type} stakes nothing`);
  const { direction, stakingAddress } = effect.terms;
  await setStakingAddress(tx, effect.assetIds, direction === outWhen ? stakingAddress : null, now);
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
