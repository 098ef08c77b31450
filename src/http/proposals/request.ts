import { z } from 'zod';
import { parseWalletAddress, readBech32 } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { type AssetName } from '../../domain/proposal/affected-assets.ts';
import { parseAssetName } from '../../domain/asset/asset-name.ts';
import { parseDuration } from '../../domain/units/duration.ts';
import { fieldError } from '../../domain/errors.ts';
import { type BasisPoints, baseUnits, lovelace } from '../../domain/units/money.ts';
import { parsePercentage } from '../../domain/units/percentage.ts';
import { actionWords, parseActionType, proposalTypes } from '../../domain/proposal/proposal.ts';
import type { PhaseDurations } from '../../domain/proposal/phases.ts';
import type { RequestedThresholds } from '../../domain/proposal/thresholds.ts';
import { AddressText, AssetNameText, LovelaceAmount, parsed, PolicyId, ParsedWord } from '../server/fields.ts';
import { phaseDurations, proposalThresholds, requiredCosigners } from './fields.ts';
import {
  type EffectFields,
  type RequestedEffect,
  type RequestedTerms,
  proposalEffectFields,
} from '../../domain/proposal/requested-effect.ts';
import type { NewProposalParams } from '../../services/proposals/create-proposal.ts';

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

/** Body of POST /vaults/{vaultId}/proposals: the spec's fields, and `terms`, `phases` and the last two thresholds beside them. */
export const CreateProposal = z
  .strictObject({
    proposer: AddressText,
    proposal_details: z.strictObject({
      title: z.string().trim().min(1).max(200),
      description: z.string().max(20_000),
      action_type: ActionType,
      affected_assets: z
        .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText }))
        .max(100)
        .describe(
          'sell_asset, stake_asset: assets that the vault holds, all it holds of each; buy_asset: the one to buy; liquidate: none',
        )
        .default([]),
      terms: Terms.describe(
        'What the vote fixes, and the execution must then equal; what it leaves open is decided by whoever executes. Terms of another ' +
          'action are refused',
      ).default({}),
    }),
    governance_thresholds: z
      .strictObject({
        ...proposalThresholds,
        required_cosigners: requiredCosigners(
          0,
          "The vault's own number unless said, and 1 where it has none; 0 executes without cosigners.",
        ),
      })
      .default({}),
    phases: z
      .strictObject(phaseDurations)
      .describe("What is left out is the vault's own, and where it has none, what is usual")
      .default({}),
  })
  .meta({ id: 'CreateProposal' });

export type ProposalRequest = z.output<typeof CreateProposal>;

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

type NamedAsset = ProposalRequest['proposal_details']['affected_assets'][number];

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

/** Parses the body of a new proposal. Throws what `parseEffect` throws. */
export function parseProposal(body: ProposalRequest, networkId: NetworkId): NewProposalParams {
  const { title, description } = body.proposal_details;
  return {
    title,
    description,
    effect: parseEffect(body.proposal_details, networkId, proposalEffectFields),
    thresholds: parseThresholds(body),
    requiredCosigners: body.governance_thresholds.required_cosigners,
    durations: parseDurations(body),
  };
}

function parseThresholds({ governance_thresholds: requested }: ProposalRequest): RequestedThresholds {
  const points = (value: number | undefined): BasisPoints | undefined =>
    value === undefined ? undefined : parsePercentage(value);
  return {
    creation: points(requested.creation_threshold),
    start: points(requested.start_threshold),
    vote: points(requested.vote_threshold),
    execution: points(requested.execution_threshold),
    cosigning: points(requested.cosigning_threshold),
  };
}

/** The requested phase durations in seconds. */
function parseDurations({ phases }: ProposalRequest): Partial<PhaseDurations> {
  const seconds = (name: keyof typeof phases) => parseDuration(phases[name] ?? '');
  const [voting, lock, execution] = [
    seconds('voting_duration'),
    seconds('lock_duration'),
    seconds('execution_duration'),
  ];
  return {
    ...(voting !== undefined && { voting }),
    ...(lock !== undefined && { lock }),
    ...(execution !== undefined && { execution }),
  };
}
