import { ServiceError } from '../../../platform/errors/errors.ts';
import { requireApproved } from '../../../proposals/rules/approval.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { EffectRules, EvaluatedRequest, ExecutingVault } from './effect-rules.ts';
import { requireInCustody } from './in-custody.ts';

type Staking = Extract<ProposalEffect, { type: 'STAKE' }>;

/** The vault stakes assets at one of its staking addresses, or takes them back from there. */
export const stakeRules: EffectRules<Staking> = {
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
};

/** Throws STAKING_ADDRESS_NOT_LISTED with the addresses at which the vault may stake. */
export function requireListed(
  { terms: { stakingAddress: address } }: Staking,
  { stakingAddresses: listed }: Pick<ExecutingVault, 'stakingAddresses'>,
): void {
  if (!listed.includes(address)) throw new ServiceError('STAKING_ADDRESS_NOT_LISTED', { address, listed });
}

function requireStaked({ approved: { terms }, assets }: EvaluatedRequest<Staking>): void {
  const elsewhere = assets.filter(({ status, stakingAddress }) => {
    return status !== 'LOCKED' || stakingAddress !== terms.stakingAddress;
  });
  if (elsewhere.length > 0) throw new ServiceError('ASSET_NOT_STAKED', { assetIds: elsewhere.map(({ id }) => id) });
}
