import { z } from 'zod';
import type { NetworkId } from '../../chain/transaction.ts';
import type { VaultAsset } from '../../domain/proposal/affected-assets.ts';
import { fieldError } from '../../domain/errors.ts';
import { parseActionType } from '../../domain/proposal/proposal.ts';
import type { ProposalEffect } from '../../domain/proposal/effect.ts';
import type { Asset } from '../../store/assets.ts';
import { AddressText, AssetNameText, parsed, PolicyText } from '../server/fields.ts';
import { ActionType, parseEffect, Terms } from '../proposals/request.ts';

const Details = Terms.extend({
  policy_id: PolicyText.optional(),
  asset_name: AssetNameText.optional(),
  affected_assets: z
    .array(z.strictObject({ policy_id: PolicyText, asset_name: AssetNameText }))
    .max(100)
    .describe('Where the action is about several assets')
    .optional(),
  quantity: Terms.shape.quantity.unwrap().describe('buy_asset: base units; as voted unless said').optional(),
  direction: Terms.shape.direction.unwrap().describe('stake_asset: as voted unless said').optional(),
  staking_address: AddressText.describe('stake_asset: as voted unless said').optional(),
});

/** Body of POST /proposals/{proposalId}/execute and /executions: the spec's fields, and the other terms of D27 among the details. */
export const ExecuteProposal = z
  .strictObject({
    executing_user: AddressText.describe(
      'Who executes; also the buyer of a sale, or the seller of a purchase, where vote and action name none',
    ),
    cosigners: z
      .array(AddressText)
      .max(20)
      .describe('At least as many eligible wallets as the proposal requires; all of them sign'),
    action: z.strictObject({ type: ActionType, details: Details.default({}) }),
  })
  .meta({ id: 'ExecuteProposal' });

export type ExecutionRequest = z.output<typeof ExecuteProposal>;

type Named = Pick<Asset, 'id' | 'policyId' | 'assetName' | 'status'>;

const fields = { assets: 'action.details', terms: 'action.details' };

const ofTheVault = 'Name the asset by policy_id and asset_name, or several as affected_assets';
const nameIt = { ASSET_SALE: ofTheVault, STAKE: ofTheVault, BUY: 'Name what is bought by policy_id and asset_name' };

/**
 * What is asked to be done. Names count among what the vault holds and what the vote was about, whatever has become of it since.
 * Raises ASSET_NOT_IN_VAULT, and what a field's own code says.
 */
export function parseExecutionEffect(
  { action }: ExecutionRequest,
  { approved, assets, networkId }: { approved: ProposalEffect; assets: readonly Named[]; networkId: NetworkId },
): ProposalEffect {
  const type = parsed(parseActionType(action.type));
  // Whatever else it says, it is not what was voted on, and is refused as such.
  if (type !== approved.type) return { ...approved, type } as ProposalEffect;
  const { policy_id: policyId, asset_name: name, affected_assets: listed = [], ...terms } = action.details;
  const single = policyId === undefined || name === undefined ? [] : [{ policy_id: policyId, asset_name: name }];
  const named = [...single, ...listed].map((asset) => ({ ...asset, policy_id: asset.policy_id.toLowerCase() }));
  if (named.length === 0 && type !== 'LIQUIDATE') throw fieldError('INVALID_REQUEST', fields.assets, nameIt[type]);
  const given = { ...unrepeated(approved), ...terms };
  // A liquidation is about the whole vault, whatever the action names.
  const affected_assets = type === 'LIQUIDATE' ? [] : named;
  const wanted = { action_type: action.type, affected_assets, terms: given };
  return parseEffect(wanted, nameable(approved, assets), networkId, fields);
}

/** What an action can name; of those that go by one name those that were voted on, where some were. */
function nameable({ assetIds }: ProposalEffect, assets: readonly Named[]): VaultAsset[] {
  const votedOn = new Set(assetIds);
  const nameOf = ({ policyId, assetName }: Named) => policyId + assetName;
  const votedNames = new Set(assets.filter(({ id }) => votedOn.has(id)).map(nameOf));
  return assets
    .filter((asset) => votedOn.has(asset.id) || !votedNames.has(nameOf(asset)))
    .map(({ id, policyId, assetName: assetNameHex, status }) => {
      return { id, policyId, assetNameHex, status: votedOn.has(id) ? 'LOCKED' : status };
    });
}

/** What was voted on and has no other sense: an action need not repeat it. */
function unrepeated({ type, terms }: ProposalEffect) {
  if (type === 'STAKE') return { direction: terms.direction, staking_address: terms.stakingAddress };
  return type === 'BUY' ? { quantity: String(terms.quantity) } : {};
}
