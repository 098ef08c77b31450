import type { NetworkId } from '../../chain/transaction.ts';
import { readBech32, readWalletAddress } from '../../chain/scripts/address.ts';
import { type DurationBound, type DurationBounds, parseDuration, printDuration } from '../../domain/units/duration.ts';
import { type FieldProblem, ServiceError } from '../../domain/errors.ts';
import { type Instant, instant } from '../../domain/units/instant.ts';
import { type BasisPoints, baseUnits, basisPoints } from '../../domain/units/money.ts';
import { parsePercentage } from '../../domain/units/percentage.ts';
import { parseTokenAmount } from '../../domain/units/token-amount.ts';
import { vaultTermProblems } from '../../domain/vault/bounds.ts';
import { parseVaultType, type TerminationTerms, type VaultTerms } from '../../domain/vault/vault.ts';
import type { Span, WindowKind } from '../../domain/vault/window.ts';
import { planWindows } from '../../domain/vault/window-plan.ts';
import type { Cosigners } from '../../store/vaults.ts';
import type { VaultRequest } from './request.ts';

/** A create request, understood. */
export interface VaultParams {
  readonly terms: VaultTerms;
  readonly createdBy: string;
  readonly windows: Record<WindowKind, Span>;
  readonly cosigners: Cosigners | null;
}

interface Circumstances {
  readonly now: Instant;
  readonly networkId: NetworkId;
  readonly bounds: DurationBounds;
}

/** Everything the request decides about its vault; raises INVALID_VAULT_PARAMS with every problem of every field. */
export function parseVaultParams(request: VaultRequest, circumstances: Circumstances): VaultParams {
  const { wishes, problems } = understand(request, circumstances);
  if (wishes === null || problems.length > 0) throw new ServiceError('INVALID_VAULT_PARAMS', { errors: problems });
  return wishes;
}

/** Everything that is wrong with the request here and now, by its fields. */
export function vaultProblems(request: VaultRequest, circumstances: Circumstances): readonly FieldProblem[] {
  return understand(request, circumstances).problems;
}

function understand(
  request: VaultRequest,
  { now, networkId, bounds }: Circumstances,
): { wishes: VaultParams | null; problems: readonly FieldProblem[] } {
  const people = readPeople(request, networkId);
  const terms = { ...readTerms(request), ...people.whitelists };
  const plan = planOf(request, now, bounds);
  const problems = [
    ...people.problems,
    ...(plan.kind === 'refused' ? plan.problems : []),
    ...typeProblems(request),
    ...vaultTermProblems(terms),
    ...supplyProblems(request),
    ...phaseProblems(request, bounds),
    ...terminationProblems(request),
    ...stakingProblems(request, networkId),
    ...cosignerProblems(people.cosigners, request.governance_settings.required_cosigners),
  ];
  if (plan.kind === 'refused') return { wishes: null, problems };
  const required = request.governance_settings.required_cosigners ?? 1;
  const cosigners = people.cosigners.length === 0 ? null : { required, keyHashes: people.cosigners };
  const windows = { asset: plan.asset, investment: plan.investment };
  return { wishes: { terms, windows, cosigners, createdBy: people.admin }, problems };
}

function readPeople(request: VaultRequest, networkId: NetworkId) {
  const problems: FieldProblem[] = [];
  const wallets = (texts: readonly string[], fieldOf: (index: number) => string) =>
    texts.flatMap((text, index) => {
      const read = readWalletAddress(text, networkId);
      if (typeof read !== 'string') return [read];
      problems.push(addressProblem(read === 'wrong_network', fieldOf(index)));
      return [];
    });
  const listed = (name: 'contributor_whitelist' | 'investor_whitelist') => {
    return unique(wallets(request[name], (index) => `${name}.${index}`).map(({ address }) => address));
  };
  const [admin] = wallets([request.admin_user.wallet_address], () => 'admin_user.wallet_address');
  const named = request.governance_settings.cosigners ?? [];
  const cosigners = wallets(named, (index) => `governance_settings.cosigners.${index}`);
  return {
    admin: admin?.address ?? '',
    cosigners: cosigners.map(({ paymentKeyHash }) => paymentKeyHash),
    whitelists: {
      contributorWhitelist: listed('contributor_whitelist'),
      investorWhitelist: listed('investor_whitelist'),
    },
    problems,
  };
}

function readTerms(request: VaultRequest): VaultTerms {
  const { asset_settings: asset, investment_settings: investment, governance_settings: governance } = request;
  const decimals = investment.ft_token_decimals;
  return {
    type: parseVaultType(request.vault_type ?? request.privacy_type ?? '') ?? 'PRIVATE',
    assetTypes: unique(asset.allowed_asset_types),
    assetWhitelist: unique(asset.policy_ids),
    contributorWhitelist: [],
    investorWhitelist: [],
    valuationType: asset.valuation_type,
    floorPricePercentage: points(asset.floor_price_percentage),
    maxAssets: asset.max_assets,
    reserve: points(investment.minimum_investment_reserve),
    lpPercentage: points(investment.lp_percentage),
    ftPercentage: points(investment.ft_percentage),
    ftSupply: parseTokenAmount(investment.ft_supply, decimals) ?? baseUnits(1n),
    ftDecimals: decimals,
    governance: {
      creation: points(governance.creation_threshold),
      start: points(governance.start_threshold),
      vote: points(governance.vote_threshold),
      execution: points(governance.execution_threshold),
      cosigning: points(governance.cosigning_threshold),
    },
    termination: readTermination(request.termination),
  };
}

function readTermination({ type, fdp, duration }: VaultRequest['termination']): TerminationTerms {
  if (type === 'DAO') return { type, fdp: points(fdp) };
  return { type, fdp: points(fdp), duration: parseDuration(duration ?? '') ?? 0 };
}

function planOf(request: VaultRequest, createdAt: Instant, bounds: DurationBounds) {
  const { asset_settings: asset, investment_settings: investment } = request;
  return planWindows({
    createdAt,
    assetStart: startOf(asset.asset_window_start_time),
    assetDuration: asset.asset_window_duration === undefined ? undefined : parseDuration(asset.asset_window_duration),
    investmentStart: startOf(investment.investment_start_time),
    investmentDuration: parseDuration(investment.investment_window_duration) ?? 0,
    bounds,
  });
}

function typeProblems({ vault_type: type, privacy_type: privacy }: VaultRequest): FieldProblem[] {
  if (type === undefined && privacy === undefined) return [problem('vault_type', 'This field is required', 'REQUIRED')];
  if (type === undefined || privacy === undefined || parseVaultType(type) === parseVaultType(privacy)) return [];
  return [problem('privacy_type', 'vault_type and privacy_type mean the same and must agree')];
}

function supplyProblems({ investment_settings: { ft_supply: supply, ft_token_decimals: decimals } }: VaultRequest) {
  if (parseTokenAmount(supply, decimals) !== undefined) return [];
  const message = 'The supply has more decimals than its token, or digits that a JSON number loses';
  return [problem('investment_settings.ft_supply', message)];
}

function phaseProblems({ governance_settings: settings }: VaultRequest, bounds: DurationBounds): FieldProblem[] {
  return (['voting', 'lock', 'execution'] as const).flatMap((phase) => {
    const text = settings[`${phase}_duration`];
    if (text === undefined) return [];
    return lengthProblems(`governance_settings.${phase}_duration`, parseDuration(text) ?? 0, bounds[phase]);
  });
}

function lengthProblems(field: string, seconds: number, { min, max }: DurationBound): FieldProblem[] {
  if (seconds >= min && seconds <= max) return [];
  return [problem(field, `The duration must be between ${printDuration(min)} and ${printDuration(max)} (DD:HH:MM)`)];
}

const YEAR = 365 * 24 * 3600;

function terminationProblems({ termination: { type, duration } }: VaultRequest): FieldProblem[] {
  const field = 'termination.duration';
  if (type === 'DAO') {
    return duration === undefined ? [] : [problem(field, 'Only a PROGRAMMED termination has a duration')];
  }
  if (duration === undefined) return [problem(field, 'This field is required', 'REQUIRED')];
  return lengthProblems(field, parseDuration(duration) ?? 0, { min: 3600, max: 10 * YEAR });
}

function cosignerProblems(keyHashes: readonly string[], required: number | undefined): FieldProblem[] {
  const field = 'governance_settings.cosigners';
  if (new Set(keyHashes).size < keyHashes.length) return [problem(field, 'A cosigner is named twice')];
  if (keyHashes.length === 0 || (required ?? 1) <= keyHashes.length) return [];
  return [problem('governance_settings.required_cosigners', 'More cosigners are required than are named')];
}

function stakingProblems({ governance_settings: settings }: VaultRequest, networkId: NetworkId): FieldProblem[] {
  return (settings.staking_addresses ?? []).flatMap((text, index) => {
    const field = `governance_settings.staking_addresses.${index}`;
    const header = readBech32(text)?.bytes[0];
    // Headers from 8 on are Byron and stake addresses, which hold no assets of ours.
    if (header === undefined || header >> 4 > 7) return [addressProblem(false, field)];
    return (header & 0x0f) === networkId ? [] : [addressProblem(true, field)];
  });
}

function addressProblem(isForeign: boolean, field: string): FieldProblem {
  return isForeign
    ? problem(field, 'The address belongs to another network', 'WRONG_NETWORK')
    : problem(field, 'This is not a Cardano address with a payment key', 'INVALID_ADDRESS');
}

function problem(field: string, message: string, code = 'INVALID_VAULT_PARAMS'): FieldProblem {
  return { code, message, field };
}

function points(percentage: number): BasisPoints {
  return parsePercentage(percentage) ?? basisPoints(0n);
}

function startOf(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : instant(new Date(text));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
