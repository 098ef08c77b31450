import { z } from 'zod';
import type { WriteLocks, WriteRules } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import type { ApiContext } from '../../api-context.ts';
import { parseAssetName } from '../../assets/rules/asset.ts';
import { parseWalletAddress, readBech32 } from '../../cardano/scripts/address.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import { fieldError } from '../../platform/errors.ts';
import {
  durationTexts,
  thresholdTexts,
  AddressText,
  AssetNameText,
  CaseInsensitive,
  LovelaceAmount,
  parsed,
  ParsedWord,
  PolicyId,
  DurationText,
  Percentage,
  visibleLines,
  visibleText,
} from '../../platform/http/fields.ts';
import { parseDuration } from '../../platform/units/time.ts';
import { baseUnits, lovelace, type BasisPoints, parsePercentage } from '../../platform/units/money.ts';
import type { NewProposalParams } from '../create-proposal.ts';
import { findProposal } from '../queries/proposals.ts';
import type { AssetName } from '../rules/affected-assets.ts';
import {
  type EffectFields,
  type RequestedEffect,
  type RequestedTerms,
  proposalEffectFields,
} from '../rules/effects.ts';
import { type PhaseDurations, proposalDeadlines } from '../rules/phases.ts';
import { actionWords, parseActionType, proposalTypes, type RequestedThresholds } from '../rules/proposal.ts';
import { exampleWallet as proposer } from '../../transactions/routes/examples.ts';

/** The terms of all actions. A vote can fix them; the domain refuses terms of another action. */
export const Terms = z.strictObject({
  price: LovelaceAmount.describe(
    'sell_asset, buy_asset: total price in lovelace. If omitted, the execution sets a price that is no worse than the last valuation.',
  ).optional(),
  buyer_address: AddressText.describe(
    'sell_asset: address of the buyer, which alone pays. If neither proposal nor execution names one, the executing user buys.',
  ).optional(),
  seller_address: AddressText.describe(
    'buy_asset: address of the seller. If neither proposal nor execution names one, the executing user sells.',
  ).optional(),
  quantity: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, 'Must be a whole number of base units above 0, as text.')
    .describe('buy_asset: base units, default 1. For a CNT: 1 to 1,000,000 whole tokens.')
    .optional(),
  direction: CaseInsensitive(['out', 'back'])
    .describe('stake_asset: `out` to the staking address (default), or `back` from it.')
    .optional(),
  staking_address: AddressText.describe('stake_asset, required: one of the staking addresses of the vault.').optional(),
  remaining_assets_to: AddressText.describe(
    'liquidate: address that gets the remaining assets. Default: none.',
  ).optional(),
  unclaimed_lovelace_to: AddressText.describe(
    'liquidate: address that gets the unclaimed ADA. Default: none.',
  ).optional(),
  remaining_assets: z
    .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText, address: AddressText }))
    .max(100)
    .describe('liquidate: assets of the vault that go to separate wallets. A name means every asset with that name.')
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
  throw fieldError('INVALID_ASSET_NAME', field, 'At most 32 bytes, as text or as hex after `0x`.');
}

function parseStakingAddress(text: string, fields: EffectFields): string {
  const address = readBech32(text)?.address;
  if (address !== undefined) return address;
  throw fieldError('INVALID_ADDRESS', `${fields.terms}.staking_address`, 'This is not a Cardano address');
}

const minimumText = " At least the vault's threshold, which is the default.";

/** The five thresholds of a vault, in percent. */
export const vaultThresholds = {
  creation_threshold: Percentage(0, 100).describe(thresholdTexts.creation),
  start_threshold: Percentage(0, 100).describe(thresholdTexts.start),
  vote_threshold: Percentage(10, 100).describe(thresholdTexts.vote),
  execution_threshold: Percentage(0, 100).describe(thresholdTexts.execution),
  cosigning_threshold: Percentage(0, 100).describe(thresholdTexts.cosigning),
};

const stricterThreshold = (name: keyof typeof thresholdTexts) =>
  Percentage(0, 100)
    .describe(thresholdTexts[name] + minimumText)
    .optional();

/** The thresholds of a proposal. They may be stricter than those of its vault, but not laxer (design D22). */
const proposalThresholds = {
  creation_threshold: stricterThreshold('creation'),
  start_threshold: stricterThreshold('start'),
  vote_threshold: stricterThreshold('vote'),
  execution_threshold: stricterThreshold('execution'),
  cosigning_threshold: stricterThreshold('cosigning'),
};

const phaseDuration = (phase: 'voting' | 'lock' | 'execution') =>
  DurationText.describe(durationTexts[phase]).optional();

/** The durations of the phases of proposals. */
export const phaseDurations = {
  voting_duration: phaseDuration('voting'),
  lock_duration: phaseDuration('lock'),
  execution_duration: phaseDuration('execution'),
};

export const requiredCosigners = (min: number, defaultText: string) =>
  z
    .int()
    .min(min)
    .max(20)
    .describe(
      'Number of cosigners that an execution needs. If fewer wallets are eligible when the proposal is created, ' +
        'their number applies. When the vote has passed, eligible wallets that voted are counted again, and the ' +
        `larger number applies, up to the number of the vault. ${defaultText}`,
    )
    .optional();

/** Body of POST /vaults/{vaultId}/proposals: the spec's fields, and in addition `terms`, `phases` and the last two thresholds. */
export const CreateProposal = z
  .strictObject({
    proposer: AddressText,
    proposal_details: z.strictObject({
      title: visibleText(200, 1),
      description: visibleLines(20_000),
      action_type: ActionType,
      affected_assets: z
        .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText }))
        .max(100)
        .describe(
          'sell_asset, stake_asset: assets of the vault, each with its whole quantity. buy_asset: the one asset to buy. liquidate: none.',
        )
        .default([]),
      terms: Terms.describe(
        'Terms that the vote fixes. The execution must repeat them, and the executing user decides the omitted ' +
          'terms. Terms of another action are an error.',
      ).default({}),
    }),
    governance_thresholds: z
      .strictObject({
        ...proposalThresholds,
        required_cosigners: requiredCosigners(
          0,
          "Default: the vault's number, or 1 if the vault has none. 0: an execution needs no cosigners.",
        ),
      })
      .default({}),
    phases: z
      .strictObject(phaseDurations)
      .describe(
        'Lengths of the phases. Default: those of the vault, otherwise the defaults below. Voting and lock ' +
          "cannot be shorter than the vault's own.",
      )
      .default({}),
  })
  .meta({ id: 'CreateProposal' });

type ProposalRequest = z.output<typeof CreateProposal>;

/** Parses the body of a new proposal. Throws the errors of `parseEffect`. */
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

/** The rules for ending or endorsing a proposal. It must not come too late only because it waits for its batch. */
export async function proposalRules(
  { db, readingTime }: Pick<ApiContext, 'db' | 'readingTime'>,
  proposalId: string,
): Promise<WriteRules> {
  const [proposal, now] = await Promise.all([findProposal(db, proposalId), readingTime()]);
  return {
    locks: proposalLocks(proposalId),
    maxWaitMs: maxWaitMsBefore(proposal ? proposalDeadlines(proposal) : [], now),
  };
}

/** No one else can vote on it, endorse it or close it at the same time. */
function proposalLocks(proposalId: string): WriteLocks {
  return { lock: `proposal:${proposalId}`, mode: 'exclusive', stakesOf: null };
}

const buyer = 'addr_test1vquugaucgmgw90gvxwfs4h6r5ql4fa7txfj2fwdgtwps37qcy8zv8';
const pool = 'addr_test1vpk6jnefqzkraye5htcju0juy8z3yh2rfthge3530zg7e3sa2j6ph';
const asset = { policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', asset_name: 'HarbourLoft001' };

/** A proposal for each action. */
export const proposalExamples: Readonly<Record<string, z.input<typeof CreateProposal>>> = {
  saleToAnyoneAtAPrice: {
    proposer,
    proposal_details: {
      title: 'Sell the loft',
      description: 'Somebody offers more than its last valuation.',
      action_type: 'sell_asset',
      affected_assets: [asset],
      terms: { price: '250000000' },
    },
  },
  purchase: {
    proposer,
    proposal_details: {
      title: 'Buy the loft next door',
      description: 'Its owner sells.',
      action_type: 'buy_asset',
      affected_assets: [{ ...asset, asset_name: 'HarbourLoft002' }],
      terms: { price: 100_000_000, seller_address: buyer, quantity: '1' },
    },
    governance_thresholds: { vote_threshold: 50, execution_threshold: 66.67, required_cosigners: 2 },
  },
  staking: {
    proposer,
    proposal_details: {
      title: 'Stake the loft',
      description: 'The vault lists this address.',
      action_type: 'stake_asset',
      affected_assets: [asset],
      terms: { direction: 'out', staking_address: pool },
    },
    phases: { voting_duration: '48h', lock_duration: '00:12:00' },
  },
  liquidation: {
    proposer,
    proposal_details: {
      title: 'End the vault',
      description: 'What is left goes to its holders.',
      action_type: 'liquidate',
      terms: { remaining_assets_to: proposer },
    },
  },
};
