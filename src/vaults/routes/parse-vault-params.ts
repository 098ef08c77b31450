import type { NetworkId } from '../../cardano/transaction.ts';
import { type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';
import { type DurationBounds, parseDuration } from '../../platform/units/duration.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { vaultTermProblems } from '../rules/bounds.ts';
import { type NamedTypes, typeProblems } from '../../types/rules/named-types.ts';
import { planWindows, type WindowPlan } from '../rules/window-plan.ts';
import type { VaultParams } from '../new-vault.ts';
import {
  cosignerProblems,
  phaseDurationProblems,
  supplyProblems,
  claimDurationProblems,
  terminationProblems,
  vaultTypeProblems,
} from './field-problems.ts';
import { parseCustomPrices } from './custom-prices.ts';
import { parseGovernanceSettings, parseVaultTerms } from './parse-vault-terms.ts';
import { parseRecipients, parseWallets, stakingAddressProblems } from './parse-wallets.ts';
import type { VaultRequest } from './request.ts';

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
