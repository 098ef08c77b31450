import { z } from 'zod';
import { parseWalletAddress, readBech32 } from '../../cardano/scripts/address.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import { parseAssetName } from '../../assets/rules/asset-name.ts';
import { fieldError } from '../../platform/errors/errors.ts';
import type { AssetName } from '../rules/affected-assets.ts';
import { actionWords, parseActionType, proposalTypes } from '../rules/proposal.ts';
import type { EffectFields, RequestedEffect, RequestedTerms } from '../rules/requested-effect.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import {
  AddressText,
  AssetNameText,
  CaseInsensitive,
  LovelaceAmount,
  parsed,
  ParsedWord,
  PolicyId,
} from '../../platform/http/fields.ts';

/** The terms of all actions. A vote can fix them; the domain refuses terms of another action. */
export const Terms = z.strictObject({
  price: LovelaceAmount.describe(
    'sell_asset, buy_asset: price in lovelace, in total. If absent, the execution sets a price that is no worse than the last valuation',
  ).optional(),
  buyer_address: AddressText.describe(
    'sell_asset: address of the buyer, which alone pays. If proposal and execution name none, the executing user buys',
  ).optional(),
  seller_address: AddressText.describe(
    'buy_asset: address of the seller. If proposal and execution name none, the executing user sells',
  ).optional(),
  quantity: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, 'Must be a whole number of base units above 0, as text')
    .describe('buy_asset: base units, 1 by default; for a CNT 1 to 1,000,000 whole tokens')
    .optional(),
  direction: CaseInsensitive(['out', 'back'])
    .describe('stake_asset: `out` to the staking address (default), or `back` from it')
    .optional(),
  staking_address: AddressText.describe('stake_asset, required: one of the staking addresses of the vault').optional(),
  remaining_assets_to: AddressText.describe(
    'liquidate: address that gets the remaining assets; nobody by default',
  ).optional(),
  unclaimed_lovelace_to: AddressText.describe(
    'liquidate: address that gets the ADA that nobody claims; nobody by default',
  ).optional(),
  remaining_assets: z
    .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText, address: AddressText }))
    .max(100)
    .describe('liquidate: assets of the vault that go to wallets of their own; a name means every asset of that name')
    .optional(),
});

/** The types that differ from their action type in more than case; LIQUIDATE does not. */
const types = proposalTypes.filter((type) => type.toLowerCase() !== actionWords[type]);

/** An action type, or the proposal type that it becomes (design D27). */
export const ActionType = ParsedWord([...Object.values(actionWords), ...types], parseActionType);

/** As `ActionType`; the output is the proposal type. */
export const ProposalTypeFilter = ActionType.transform((text) => parseActionType(text));

interface EffectBody {
  readonly action_type: string;
  readonly affected_assets: readonly NamedAsset[];
  readonly terms: z.output<typeof Terms>;
}

/** Parses the effect of a proposal or an execution. Throws INVALID_ASSET_NAME, INVALID_ADDRESS and WRONG_NETWORK at `fields`. */
export function parseEffect(body: EffectBody, networkId: NetworkId, fields: EffectFields): RequestedEffect {
  const assets = body.affected_assets.map((name, position) =>
    parseName(name, `${fields.assets}.${position}.asset_name`),
  );
  return { type: parsed(parseActionType(body.action_type)), assets, terms: parseTerms(body.terms, networkId, fields) };
}

/** Terms that the body does not contain stay absent, so that they do not override others. */
function parseTerms(terms: z.output<typeof Terms>, networkId: NetworkId, fields: EffectFields): RequestedTerms {
  const wallet = (text: string, field: string) =>
    parseWalletAddress(text, networkId, `${fields.terms}.${field}`).address;
  const { price, quantity, direction, buyer_address: buyer, seller_address: seller, staking_address: staking } = terms;
  const { remaining_assets_to: assetsTo, unclaimed_lovelace_to: lovelaceTo, remaining_assets: handed } = terms;
  return {
    ...(price !== undefined && { price: lovelace(BigInt(price)) }),
    ...(buyer !== undefined && { buyerAddress: wallet(buyer, 'buyer_address') }),
    ...(seller !== undefined && { sellerAddress: wallet(seller, 'seller_address') }),
    ...(quantity !== undefined && { quantity: baseUnits(BigInt(quantity)) }),
    ...(direction !== undefined && { direction }),
    ...(staking !== undefined && { stakingAddress: parseStakingAddress(staking, fields) }),
    ...(assetsTo !== undefined && { remainingAssetsTo: wallet(assetsTo, 'remaining_assets_to') }),
    ...(lovelaceTo !== undefined && { unclaimedLovelaceTo: wallet(lovelaceTo, 'unclaimed_lovelace_to') }),
    ...(handed !== undefined && {
      remainingAssets: handed.map(({ address, ...name }, position) => ({
        ...parseName(name, `${fields.terms}.remaining_assets.${position}.asset_name`),
        address: wallet(address, `remaining_assets.${position}.address`),
      })),
    }),
  };
}

interface NamedAsset {
  readonly policy_id: string;
  readonly asset_name: string;
}

function parseName({ policy_id: policyId, asset_name: name }: NamedAsset, field: string): AssetName {
  const assetNameHex = parseAssetName(name);
  if (assetNameHex !== undefined) return { policyId, assetNameHex };
  throw fieldError('INVALID_ASSET_NAME', field, 'At most 32 bytes: text, or hex after 0x');
}

function parseStakingAddress(text: string, fields: EffectFields): string {
  const address = readBech32(text)?.address;
  if (address !== undefined) return address;
  throw fieldError('INVALID_ADDRESS', `${fields.terms}.staking_address`, 'This is not a Cardano address');
}
