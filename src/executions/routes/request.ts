import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { AddressText, AssetNameText, PolicyText } from '../../platform/http/fields.ts';
import { ActionType, parseEffect, Terms } from '../../proposals/routes/effect-request.ts';
import { executionEffectFields } from '../../proposals/rules/requested-effect.ts';
import type { ExecutionParams } from '../execution-params.ts';

const Details = Terms.extend({
  policy_id: PolicyText.optional(),
  asset_name: AssetNameText.optional(),
  affected_assets: z
    .array(z.strictObject({ policy_id: PolicyText, asset_name: AssetNameText }))
    .max(100)
    .describe('The assets, when the action concerns several')
    .optional(),
  quantity: Terms.shape.quantity.unwrap().describe('buy_asset: base units; default: as the vote fixed it').optional(),
  direction: Terms.shape.direction.unwrap().describe('stake_asset: default: as the vote fixed it').optional(),
  staking_address: AddressText.describe('stake_asset: default: as the vote fixed it').optional(),
});

/** Body of POST /proposals/{proposalId}/execute and /executions. `details` has the fields of the spec and the other terms of D27. */
export const ExecuteProposal = z
  .strictObject({
    executing_user: AddressText.describe(
      'The wallet that executes; also the buyer of a sale or the seller of a purchase, if vote and action name none',
    ),
    cosigners: z.array(AddressText).max(20).describe('Eligible wallets, at least as many as the proposal requires'),
    required_cosigners: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe(
        'How many of `cosigners` have to sign, whichever they are. Default: the number that the proposal requires, or when ' +
          'a transaction is frozen already, the number it was frozen for. Not less than the proposal requires',
      ),
    action: z.strictObject({ type: ActionType, details: Details.default({}) }),
  })
  .meta({ id: 'ExecuteProposal' });

export type ExecutionRequest = z.output<typeof ExecuteProposal>;

/** Parses the body of an execution. Throws INVALID_ASSET_NAME, INVALID_ADDRESS and WRONG_NETWORK. */
export function parseExecution(request: ExecutionRequest, networkId: NetworkId): ExecutionParams {
  const { action, cosigners, required_cosigners: requiredCosigners } = request;
  const { policy_id: policyId, asset_name: name, affected_assets: listed = [], ...terms } = action.details;
  const single = policyId === undefined || name === undefined ? [] : [{ policy_id: policyId, asset_name: name }];
  const affected_assets = [...single, ...listed].map((asset) => ({
    ...asset,
    policy_id: asset.policy_id.toLowerCase(),
  }));
  const body = { action_type: action.type, affected_assets, terms };
  return { cosigners, requiredCosigners, action, effect: parseEffect(body, networkId, executionEffectFields) };
}
