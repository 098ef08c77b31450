import { fieldError } from '../../platform/errors.ts';
import { type Instant, secondsAfter } from '../../platform/units/time.ts';
import type { WhitelistRule } from '../../types/rules.ts';
import type { VaultTerms } from './vault.ts';
import type { Span } from './window.ts';

/** The attributes of a vault that decide who may read it and deposit in it (design D8). */
export type VaultAccess = Pick<
  VaultTerms,
  'typeRules' | 'contributorWhitelist' | 'investorWhitelist' | 'investorListEnabled'
> & {
  readonly createdBy: string;
};

/** Who reads: a key that may act for any wallet, another key without a session, or a wallet. */
export type Reader =
  | { readonly kind: 'admin_key' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'wallet'; readonly wallet: string; readonly hasDeposit: boolean };

/** Whether a wallet may contribute assets, by the rule of the vault's type for its whitelist of contributors. */
export function mayContribute(vault: VaultAccess, wallet: string): boolean {
  const rule = vault.typeRules.contributors;
  return rule === 'anyone' || isListed(vault, vault.contributorWhitelist, wallet, rule);
}

/** Whether a wallet may invest: the same rule with the whitelist of investors, which applies whenever it is enabled (design D39c). */
export function mayInvest(vault: VaultAccess, wallet: string): boolean {
  const rule = vault.typeRules.investors;
  const applied = rule === 'anyone' ? 'listed_unless_empty' : rule;
  return !vault.investorListEnabled || isListed(vault, vault.investorWhitelist, wallet, applied);
}

/** Whether a reader may read the vault. For other readers, the vault does not exist. */
export function mayRead(vault: VaultAccess, reader: Reader): boolean {
  if (vault.typeRules.readers === 'anyone' || reader.kind === 'admin_key') return true;
  if (reader.kind === 'other_key') return false;
  const { contributorWhitelist, investorWhitelist } = vault;
  return (
    reader.hasDeposit ||
    [contributorWhitelist, investorWhitelist].some((list) => isListed(vault, list, reader.wallet, 'listed'))
  );
}

/** Whether the vault accepts assets of a policy (hex, any case). */
export function acceptsPolicy({ assetWhitelist }: Pick<VaultTerms, 'assetWhitelist'>, policyId: string): boolean {
  return assetWhitelist.length === 0 || assetWhitelist.some((id) => id.toLowerCase() === policyId.toLowerCase());
}

function isListed(
  { createdBy }: VaultAccess,
  list: readonly string[],
  wallet: string,
  rule: Exclude<WhitelistRule, 'anyone'>,
): boolean {
  if (rule === 'listed') return wallet === createdBy || list.includes(wallet);
  return list.length === 0 || list.includes(wallet);
}

export const allowListTypes = ['ASSET', 'CONTRIBUTOR', 'INVESTOR'] as const;
/** ASSET lists policy ids, the others list wallets (spec, "PATCH allowlist"). */
type AllowListType = (typeof allowListTypes)[number];

export const allowListOperations = ['ADD', 'REMOVE'] as const;
type AllowListOperation = (typeof allowListOperations)[number];

/** A change of one list of a vault; its entries are policy ids in lower case, or wallet addresses. */
export interface AllowListChange {
  readonly type: AllowListType;
  readonly operation: AllowListOperation;
  readonly entries: readonly string[];
}

/** The largest number of entries of each list. */
export const maxAllowListEntries: Readonly<Record<AllowListType, number>> = {
  ASSET: 500,
  CONTRIBUTOR: 1000,
  INVESTOR: 1000,
};

/**
 * The list after the change: entries that are already there are added once, and those that are not there are removed silently, so
 * that a repeated change has the same result. Throws INVALID_REQUEST at `addresses` when the list would be too long.
 */
export function changedAllowList(
  list: readonly string[],
  { type, operation, entries }: AllowListChange,
): readonly string[] {
  const named = new Set(entries);
  if (operation === 'REMOVE') return list.filter((entry) => !named.has(entry));
  const changed = [...new Set([...list, ...entries])];
  const max = maxAllowListEntries[type];
  if (changed.length > max)
    throw fieldError(
      'INVALID_REQUEST',
      'addresses',
      `The list would have ${changed.length} entries. At most ${max} are allowed.`,
    );
  return changed;
}

/** A list before and after a change, and the request field that changes it. */
interface ListChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly field: string;
}

const LONGEST_NOTICE_SECONDS = 24 * 3600;

/**
 * When what contributors rely on is fixed: a day before the asset window closes, or in the middle of one shorter than two days. Who
 * has contributed before has this time to leave.
 */
export function noticeBegins({ startsAt, endsAt }: Span): Instant {
  const half = Math.floor((endsAt - startsAt) / 2000);
  return secondsAfter(endsAt, -Math.min(half, LONGEST_NOTICE_SECONDS));
}

/**
 * Throws SETTING_NOT_CHANGEABLE at the field. When contributors have no time to leave any more, the admin must not keep other
 * investors out and buy alone.
 */
export function requireNoFewerInvestors(
  { typeRules }: Pick<VaultTerms, 'typeRules'>,
  { before, after, field }: ListChange,
  assetWindow: Span,
  now: Instant,
): void {
  const begins = typeRules.investors !== 'listed' && before.length === 0 && after.length > 0;
  if ((begins || addsTo(after, before)) && now >= noticeBegins(assetWindow))
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      field,
      'Too late: contributors would have no time to withdraw their assets. You can still add investors.',
    );
}

/**
 * Throws SETTING_NOT_CHANGEABLE at the field. When contributors have no time to leave any more, the admin must not let in assets
 * that would dilute theirs. Nothing can be contributed after the asset window.
 */
export function requireNoMorePolicies({ before, after, field }: ListChange, assetWindow: Span, now: Instant): void {
  // An empty list accepts any policy.
  const widens = before.length > 0 && (after.length === 0 || addsTo(before, after));
  if (widens && now >= noticeBegins(assetWindow) && now < assetWindow.endsAt)
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      field,
      'Too late: contributors would have no time to withdraw their assets. You can add policies when the asset window has closed.',
    );
}

/** Whether `after` has an entry that `before` has not. */
function addsTo(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(before);
  return after.some((entry) => !known.has(entry));
}
