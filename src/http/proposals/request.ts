import { z } from 'zod';
import { parseWalletAddress, readBech32 } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { type AssetName, affectedAssetIds, type VaultAsset } from '../../domain/proposal/affected-assets.ts';
import { parseAssetName } from '../../domain/asset/asset-name.ts';
import { parseDuration } from '../../domain/units/duration.ts';
import { fieldError } from '../../domain/errors.ts';
import { type BasisPoints, baseUnits, lovelace } from '../../domain/units/money.ts';
import { parsePercentage } from '../../domain/units/percentage.ts';
import { actionWords, parseActionType, proposalTypes } from '../../domain/proposal/proposal.ts';
import type { ProposalEffect } from '../../domain/proposal/effect.ts';
import type { PhaseDurations } from '../../domain/proposal/phases.ts';
import type { RequestedThresholds } from '../../domain/proposal/thresholds.ts';
import { AddressText, AssetNameText, LovelaceAmount, parsed, PolicyId, ParsedWord } from '../server/fields.ts';
import { phaseDurations, proposalThresholds, requiredCosigners } from './fields.ts';

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

export const fieldsOfProposal = { assets: 'proposal_details.affected_assets', terms: 'proposal_details.terms' };

interface AskedEffect {
  readonly action_type: string;
  readonly affected_assets: readonly NamedAsset[];
  readonly terms: AskedTerms;
}

/** Where in the request the assets and the terms of an effect stand. */
interface EffectFields {
  readonly assets: string;
  readonly terms: string;
}

/** What is asked to be voted on, or to be done; raises ASSET_NOT_IN_VAULT, and what a field's own code says. */
export function parseEffect(
  details: AskedEffect,
  held: readonly VaultAsset[],
  networkId: NetworkId,
  fields: EffectFields,
): ProposalEffect {
  const { terms } = details;
  const type = parsed(parseActionType(details.action_type));
  requireTermsOf(type, terms, fields);
  const named = details.affected_assets.map((name, position) =>
    readName(name, `${fields.assets}.${position}.asset_name`),
  );
  const wallet = (name: WalletTerm) => {
    const text = terms[name];
    return text === undefined ? null : parseWalletAddress(text, networkId, `${fields.terms}.${name}`).address;
  };
  const price = terms.price === undefined ? null : lovelace(BigInt(terms.price));

  switch (type) {
    case 'ASSET_SALE':
      return {
        type,
        assetIds: heldAssets(named, held, fields, null),
        terms: { price, buyerAddress: wallet('buyer_address') },
      };
    case 'STAKE':
      return stakingOf(terms, named, held, fields);
    case 'BUY': {
      const quantity = baseUnits(BigInt(terms.quantity ?? '1'));
      const sellerAddress = wallet('seller_address');
      return { type, assetIds: [], terms: { ...boughtAsset(named, fields), quantity, price, sellerAddress } };
    }
    case 'LIQUIDATE': {
      if (named.length > 0) throw assetsProblem(fields, 'A liquidation is about the whole vault');
      const remainingAssetsTo = wallet('remaining_assets_to');
      const unclaimedLovelaceTo = wallet('unclaimed_lovelace_to');
      return { type, assetIds: [], terms: { remainingAssetsTo, unclaimedLovelaceTo } };
    }
  }
}

/** Out of custody, or back from where they are staked. */
function stakingOf(
  terms: AskedTerms,
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  fields: EffectFields,
): ProposalEffect {
  const direction = terms.direction ?? 'out';
  const away = readBech32(terms.staking_address ?? '')?.address ?? null;
  const assetIds = heldAssets(named, held, fields, direction === 'back' ? away : null);
  return { type: 'STAKE', assetIds, terms: { direction, stakingAddress: stakingAddress(terms, fields) } };
}

type WalletTerm = 'buyer_address' | 'seller_address' | 'remaining_assets_to' | 'unclaimed_lovelace_to';

function readName({ policy_id: policyId, asset_name: name }: NamedAsset, field: string): AssetName {
  const assetNameHex = parseAssetName(name);
  if (assetNameHex !== undefined) return { policyId, assetNameHex };
  throw fieldError('INVALID_ASSET_NAME', field, 'At most 32 bytes: text, or hex after 0x');
}

function heldAssets(
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  fields: EffectFields,
  place: string | null,
): readonly string[] {
  if (named.length === 0) throw assetsProblem(fields, 'Name the assets of the vault this is about');
  return affectedAssetIds(named, held, fields.assets, place);
}

function boughtAsset([wanted, ...others]: readonly AssetName[], fields: EffectFields): AssetName {
  if (wanted && others.length === 0) return wanted;
  throw assetsProblem(fields, 'Name the one asset that is to be bought');
}

function assetsProblem({ assets }: EffectFields, message: string) {
  return fieldError('INVALID_REQUEST', assets, message);
}

type NamedAsset = ProposalRequest['proposal_details']['affected_assets'][number];
type AskedTerms = z.output<typeof Terms>;

const termsOf: Record<ProposalEffect['type'], readonly (keyof AskedTerms)[]> = {
  ASSET_SALE: ['price', 'buyer_address'],
  BUY: ['price', 'seller_address', 'quantity'],
  STAKE: ['direction', 'staking_address'],
  LIQUIDATE: ['remaining_assets_to', 'unclaimed_lovelace_to'],
};

/** A term that means nothing here must not seem to be voted on. */
function requireTermsOf(type: ProposalEffect['type'], terms: AskedTerms, fields: EffectFields): void {
  const known = new Set<string>(termsOf[type]);
  const foreign = Object.keys(terms).find((name) => !known.has(name));
  if (foreign !== undefined) {
    throw fieldError('INVALID_REQUEST', `${fields.terms}.${foreign}`, `This is not a term of ${type}`);
  }
}

function stakingAddress({ staking_address: text }: AskedTerms, fields: EffectFields): string {
  const field = `${fields.terms}.staking_address`;
  if (text === undefined) throw fieldError('INVALID_REQUEST', field, 'Name one of the staking addresses of the vault');
  const address = readBech32(text)?.address;
  if (address !== undefined) return address;
  throw fieldError('INVALID_ADDRESS', field, 'This is not a Cardano address');
}

export function parseThresholds({ governance_thresholds: asked }: ProposalRequest): RequestedThresholds {
  const points = (value: number | undefined): BasisPoints | undefined =>
    value === undefined ? undefined : parsePercentage(value);
  return {
    creation: points(asked.creation_threshold),
    start: points(asked.start_threshold),
    vote: points(asked.vote_threshold),
    execution: points(asked.execution_threshold),
    cosigning: points(asked.cosigning_threshold),
  };
}

/** Seconds of the phases that were asked for. */
export function parseDurations({ phases }: ProposalRequest): Partial<PhaseDurations> {
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
