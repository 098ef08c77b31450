import { z } from 'zod';
import { parseWalletAddress, readBech32 } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { parseAssetName } from '../../domain/asset/asset-name.ts';
import { fieldError } from '../../domain/errors.ts';
import type { AssetName } from '../../domain/proposal/affected-assets.ts';
import { actionWords, parseActionType, proposalTypes } from '../../domain/proposal/proposal.ts';
import type { EffectFields, RequestedEffect, RequestedTerms } from '../../domain/proposal/requested-effect.ts';
import { baseUnits, lovelace } from '../../domain/units/money.ts';
import { AddressText, LovelaceAmount, parsed, ParsedWord } from '../server/fields.ts';

/** What a vote can fix about an action. */
export const Terms = z.strictObject({
  price: LovelaceAmount.describe(
    'sell_asset, buy_asset: lovelace for everything together; left open, no worse than the last valuation when it is executed',
  ).optional(),
  buyer_address: AddressText.describe(
    'sell_asset: who buys; left open by vote and execution, it is whoever executes',
  ).optional(),
  seller_address: AddressText.describe(
    'buy_asset: who sells; left open by vote and execution, it is whoever executes',
  ).optional(),
  quantity: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, 'Base units are a whole number above 0, as text')
    .describe('buy_asset: base units, 1 unless said; of a CNT 1 to 1,000,000 whole tokens')
    .optional(),
  direction: z
    .enum(['out', 'back'])
    .describe('stake_asset: out to the staking address unless said, or back from it')
    .optional(),
  staking_address: AddressText.describe('stake_asset, required: one of the staking addresses of the vault').optional(),
  remaining_assets_to: AddressText.describe(
    'liquidate: who gets the assets that remain; nobody unless said',
  ).optional(),
  unclaimed_lovelace_to: AddressText.describe(
    'liquidate: who gets the ADA that nobody claims; nobody unless said',
  ).optional(),
});

/** LIQUIDATE is the same word as an action and as a type. */
const types = proposalTypes.filter((type) => type.toLowerCase() !== actionWords[type]);

/** What a proposal is to do, by the word of an action or of the type it becomes (design D27). */
export const ActionType = ParsedWord([...Object.values(actionWords), ...types], parseActionType);

/** As `ActionType`; answers the type. */
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

/** Terms that the body leaves out are absent, so that they do not override others. */
function parseTerms(terms: z.output<typeof Terms>, networkId: NetworkId, fields: EffectFields): RequestedTerms {
  const wallet = (text: string, field: string) =>
    parseWalletAddress(text, networkId, `${fields.terms}.${field}`).address;
  const { price, quantity, direction, buyer_address: buyer, seller_address: seller, staking_address: staking } = terms;
  const { remaining_assets_to: assetsTo, unclaimed_lovelace_to: lovelaceTo } = terms;
  return {
    ...(price !== undefined && { price: lovelace(BigInt(price)) }),
    ...(buyer !== undefined && { buyerAddress: wallet(buyer, 'buyer_address') }),
    ...(seller !== undefined && { sellerAddress: wallet(seller, 'seller_address') }),
    ...(quantity !== undefined && { quantity: baseUnits(BigInt(quantity)) }),
    ...(direction !== undefined && { direction }),
    ...(staking !== undefined && { stakingAddress: parseStakingAddress(staking, fields) }),
    ...(assetsTo !== undefined && { remainingAssetsTo: wallet(assetsTo, 'remaining_assets_to') }),
    ...(lovelaceTo !== undefined && { unclaimedLovelaceTo: wallet(lovelaceTo, 'unclaimed_lovelace_to') }),
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
