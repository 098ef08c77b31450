import { readBech32, readWalletAddress, type WalletAddress } from '../../cardano/scripts/address.ts';
import type { NetworkId, KeyHash } from '../../cardano/transaction.ts';
import type { FieldProblem } from '../../platform/error-registry.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type DurationBounds, parseDuration, type Instant, instant } from '../../platform/units/time.ts';
import {
  type BasisPoints,
  baseUnits,
  basisPoints,
  parsePercentage,
  parseTokenAmount,
} from '../../platform/units/money.ts';
import type { GovernanceSettings } from '../../proposals/queries/anchored-actions.ts';
import { type NamedTypes, typeProblems, builtInVaultTypes } from '../../types/rules.ts';
import type { VaultParams } from '../create-vault.ts';
import { parseCustomPrices } from './custom-prices.ts';
import {
  cosignerProblems,
  phaseDurationProblems,
  supplyProblems,
  claimDurationProblems,
  terminationProblems,
  vaultTypeProblems,
} from './field-problems.ts';
import type { VaultRequest } from './request.ts';
import type { TerminationTerms, VaultTerms, EndTerms } from '../rules/vault.ts';
import { vaultTermProblems, planWindows, type WindowPlan } from '../rules/windows.ts';

/** What the validity of a request depends on besides the request. */
interface ParseContext {
  readonly now: Instant;
  readonly networkId: NetworkId;
  readonly bounds: DurationBounds;
  /** The types that the request names. */
  readonly types: NamedTypes;
}

/** The parameters of the vault that the request asks for. Throws INVALID_VAULT_PARAMS with all problems of all fields. */
export function parseVaultParams(request: VaultRequest, context: ParseContext): VaultParams {
  const { params, problems } = parseVaultRequest(request, context);
  if (params === null || problems.length > 0) throw new ServiceError('INVALID_VAULT_PARAMS', { errors: problems });
  return params;
}

/** All problems of the request that its schema cannot find, by field. */
export function vaultProblems(request: VaultRequest, context: ParseContext): readonly FieldProblem[] {
  return parseVaultRequest(request, context).problems;
}

function parseVaultRequest(
  request: VaultRequest,
  { now, networkId, bounds, types }: ParseContext,
): { params: VaultParams | null; problems: readonly FieldProblem[] } {
  const wallets = parseWallets(request, networkId);
  const custom = parseCustomPriceSettings(request, now);
  const { recipients, problems: recipientProblems } = parseRecipients(request, networkId);
  const parsed = parseVaultTerms(request, types);
  const termination = { ...parsed.termination, ...recipients };
  const terms = { ...parsed, ...wallets.whitelists, customPrices: custom.prices, termination };
  const plan = parseWindows(request, now, bounds);
  const problems = [
    ...wallets.problems,
    ...recipientProblems,
    ...custom.problems,
    ...(plan.kind === 'refused' ? plan.problems : []),
    ...vaultTypeProblems(request),
    ...registeredTypeProblems(request, types),
    ...vaultTermProblems(terms),
    ...supplyProblems(request),
    ...phaseDurationProblems(request, bounds),
    ...terminationProblems(request),
    ...claimDurationProblems(request),
    ...stakingAddressProblems(request, networkId),
    ...cosignerProblems(request, wallets.cosignerKeyHashes),
  ];
  if (plan.kind === 'refused') return { params: null, problems };
  const required = request.governance_settings.required_cosigners ?? 1;
  const keyHashes = wallets.cosignerKeyHashes;
  const params = {
    name: request.vault_name,
    createdBy: wallets.admin,
    adminEmail: request.admin_user.email ?? null,
    terms,
    windows: { asset: plan.asset, investment: plan.investment },
    cosigners: keyHashes.length === 0 ? null : { required, keyHashes },
    governance: parseGovernanceSettings(request),
    metadata: request.metadata,
  };
  return { params, problems };
}

/** The names of the types that the request names. */
export function requestedTypes({ vault_type: type, privacy_type: privacy, asset_settings: asset }: VaultRequest) {
  return { vaultTypes: [type ?? [], privacy ?? []].flat(), assetTypes: asset.allowed_asset_types };
}

function registeredTypeProblems(request: VaultRequest, types: NamedTypes): FieldProblem[] {
  const { vault_type: vaultType, privacy_type: privacyType, asset_settings: asset } = request;
  const requested = { valuationType: asset.valuation_type, assetTypes: asset.allowed_asset_types };
  const field = vaultType === undefined ? 'privacy_type' : 'vault_type';
  return typeProblems({ ...requested, type: vaultType ?? privacyType }, types, field);
}

function parseCustomPriceSettings({ asset_settings: { custom_prices: requested } }: VaultRequest, now: Instant) {
  const prices = requested.map(
    ({ policy_id: policyId, asset_name: assetName, max_quantity: maxQuantity, ...terms }) => {
      return { policyId, assetName, maxQuantity, ...terms };
    },
  );
  return parseCustomPrices(prices, { field: 'asset_settings.custom_prices', nameField: 'asset_name', now });
}

function parseWindows(request: VaultRequest, createdAt: Instant, bounds: DurationBounds): WindowPlan {
  const { asset_settings: asset, investment_settings: investment } = request;
  return planWindows({
    createdAt,
    assetStart: parseStart(asset.asset_window_start_time),
    assetDuration: asset.asset_window_duration === undefined ? undefined : parseDuration(asset.asset_window_duration),
    investmentStart: parseStart(investment.investment_start_time),
    investmentDuration: parseDuration(investment.investment_window_duration) ?? 0,
    bounds,
  });
}

function parseStart(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : instant(new Date(text));
}

/** The terms that the request asks for, without its whitelists and custom prices. A value that other checks refuse is replaced by a default. */
function parseVaultTerms(request: VaultRequest, { vaultTypes, assetTypes }: NamedTypes): VaultTerms {
  const { asset_settings: asset, investment_settings: investment, governance_settings: governance } = request;
  const decimals = investment.ft_token_decimals;
  const type = request.vault_type ?? request.privacy_type ?? '';
  const typeRules = vaultTypes.get(type) ?? builtInVaultTypes.PRIVATE;
  const accepted = asset.allowed_asset_types.flatMap((name) => {
    const rules = assetTypes.get(name);
    return rules ? [[name, rules] as const] : [];
  });
  return {
    type,
    typeRules,
    assetTypes: Object.fromEntries(accepted),
    assetWhitelist: [...new Set(asset.policy_ids)],
    contributorWhitelist: [],
    investorWhitelist: [],
    investorListEnabled: typeRules.investors !== 'anyone',
    valuationType: asset.valuation_type,
    floorPricePercentage: toBasisPoints(asset.floor_price_percentage),
    customPrices: [],
    maxAssets: asset.max_assets,
    maxShare: toBasisPoints(asset.max_share),
    reserve: toBasisPoints(investment.minimum_investment_reserve),
    lpPercentage: toBasisPoints(investment.lp_percentage),
    ftPercentage: toBasisPoints(investment.ft_percentage),
    ftSupply: parseTokenAmount(investment.ft_supply, decimals) ?? baseUnits(1n),
    ftDecimals: decimals,
    governance: {
      creation: toBasisPoints(governance.creation_threshold),
      start: toBasisPoints(governance.start_threshold),
      vote: toBasisPoints(governance.vote_threshold),
      execution: toBasisPoints(governance.execution_threshold),
      cosigning: toBasisPoints(governance.cosigning_threshold),
    },
    termination: parseTermination(request.termination),
  };
}

/** The governance settings besides the thresholds; only those that the request contains. */
function parseGovernanceSettings({ governance_settings: settings }: VaultRequest): GovernanceSettings {
  const given = {
    votingSeconds: toSeconds(settings.voting_duration),
    lockSeconds: toSeconds(settings.lock_duration),
    executionSeconds: toSeconds(settings.execution_duration),
    requiredCosigners: settings.required_cosigners,
    stakingAddresses: settings.staking_addresses,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function parseTermination({ type, fdp, duration, claim_duration }: VaultRequest['termination']): TerminationTerms {
  const claimSeconds = toSeconds(claim_duration);
  const common = { fdp: toBasisPoints(fdp), ...(claimSeconds !== undefined && { claimSeconds }) };
  return type === 'DAO' ? { type, ...common } : { type, ...common, duration: parseDuration(duration ?? '') ?? 0 };
}

function toBasisPoints(percentage: number): BasisPoints {
  return parsePercentage(percentage) ?? basisPoints(0n);
}

function toSeconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

interface VaultWallets {
  /** Empty when the address is not valid. */
  readonly admin: string;
  readonly cosignerKeyHashes: readonly KeyHash[];
  readonly whitelists: Pick<VaultTerms, 'contributorWhitelist' | 'investorWhitelist'>;
  readonly problems: readonly FieldProblem[];
}

/** The wallets that the request names, and the problems of those that are not valid on this network. */
function parseWallets(request: VaultRequest, networkId: NetworkId): VaultWallets {
  const { admin_user: user, governance_settings: settings } = request;
  const admin = readWalletAddress(user.wallet_address, networkId);
  const cosigners = parseWalletList(settings.cosigners ?? [], 'governance_settings.cosigners', networkId);
  const contributors = parseWalletList(request.contributor_whitelist, 'contributor_whitelist', networkId);
  const investors = parseWalletList(request.investor_whitelist, 'investor_whitelist', networkId);
  const adminProblem =
    typeof admin === 'string' ? [addressProblem(admin === 'wrong_network', 'admin_user.wallet_address')] : [];
  return {
    admin: typeof admin === 'string' ? '' : admin.address,
    cosignerKeyHashes: cosigners.wallets.map(({ paymentKeyHash }) => paymentKeyHash),
    whitelists: {
      contributorWhitelist: addressesOf(contributors.wallets),
      investorWhitelist: addressesOf(investors.wallets),
    },
    problems: [...adminProblem, ...contributors.problems, ...investors.problems, ...cosigners.problems],
  };
}

/** The wallets that `termination` names, and the problems of those that are not valid on this network. */
function parseRecipients({ termination }: VaultRequest, networkId: NetworkId) {
  const { remaining_assets_to: assetsTo, unclaimed_lovelace_to: lovelaceTo } = termination;
  const parse = (text: string | undefined, field: string) => {
    const wallet = text === undefined ? null : readWalletAddress(text, networkId);
    if (typeof wallet !== 'string') return { address: wallet?.address, problems: [] };
    return { address: undefined, problems: [addressProblem(wallet === 'wrong_network', `termination.${field}`)] };
  };
  const assets = parse(assetsTo, 'remaining_assets_to');
  const unclaimed = parse(lovelaceTo, 'unclaimed_lovelace_to');
  const recipients: EndTerms = {
    ...(assets.address !== undefined && { remainingAssetsTo: assets.address }),
    ...(unclaimed.address !== undefined && { unclaimedLovelaceTo: unclaimed.address }),
  };
  return { recipients, problems: [...assets.problems, ...unclaimed.problems] };
}

/** The addresses of wallets, each once. */
export function addressesOf(wallets: readonly WalletAddress[]): string[] {
  return [...new Set(wallets.map(({ address }) => address))];
}

/** Problems of `staking_addresses`: each must be a payment address (CIP-19) of this network; it may be a script. */
function stakingAddressProblems({ governance_settings: settings }: VaultRequest, networkId: NetworkId): FieldProblem[] {
  return (settings.staking_addresses ?? []).flatMap((text, index) => {
    const field = `governance_settings.staking_addresses.${index}`;
    const header = readBech32(text)?.bytes[0];
    // Address types from 8 on are Byron and stake addresses, where the vault cannot place assets.
    if (header === undefined || header >> 4 > 7) return [addressProblem(false, field)];
    return (header & 0x0f) === networkId ? [] : [addressProblem(true, field)];
  });
}

/** The wallets of one list of a request, and the problems of those that are not valid on this network. */
export function parseWalletList(texts: readonly string[], field: string, networkId: NetworkId) {
  const parsed = texts.map((text) => readWalletAddress(text, networkId));
  const problems = parsed.flatMap((wallet, index) =>
    typeof wallet === 'string' ? [addressProblem(wallet === 'wrong_network', `${field}.${index}`)] : [],
  );
  const wallets = parsed.flatMap((wallet) => (typeof wallet === 'string' ? [] : [wallet]));
  return { wallets, problems };
}

function addressProblem(isWrongNetwork: boolean, field: string): FieldProblem {
  return isWrongNetwork
    ? { code: 'WRONG_NETWORK', message: 'The address belongs to another Cardano network.', field }
    : { code: 'INVALID_ADDRESS', message: 'This is not a Cardano address with a payment key.', field };
}
