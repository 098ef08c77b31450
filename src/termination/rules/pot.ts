import type { ErrorCode } from '../../platform/error-registry.ts';
import { fieldError } from '../../platform/errors.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { TerminationEnd } from './steps.ts';

/** What a vault that ends shares, and the tokens that share it (design D31). */
export interface Pot {
  readonly lovelace: Lovelace;
  /** Fractional tokens that holders have, in base units. */
  readonly circulating: BaseUnits;
}

/**
 * The lovelace that `amount` base units bring, rounded down: what is left over stays with those who have not claimed yet, so no
 * claim makes the share of another smaller. Throws RangeError when more is returned than circulates.
 */
export function payoutOf(pot: Pot, amount: BaseUnits): Lovelace {
  if (amount > pot.circulating) throw new RangeError(`${amount} tokens are returned of ${pot.circulating}`);
  return lovelace(amount === 0n ? 0n : (pot.lovelace * amount) / pot.circulating);
}

/** An asset that the decision to end a vault gives to a wallet. */
export interface HandedAsset {
  readonly assetId: string;
  readonly address: string;
}

/** Each asset with the wallet that gets it, for wallets and the ids of what is named for each. */
export function handedAssets(
  recipients: readonly { readonly address: string }[],
  assetIds: readonly (readonly string[])[],
  field: string,
): HandedAsset[] {
  const wallets = new Map<string, string>();
  for (const [position, { address }] of recipients.entries())
    for (const id of assetIds[position] ?? []) {
      if ((wallets.get(id) ?? address) !== address)
        throw fieldError(
          'INVALID_REQUEST',
          `${field}.${position}`,
          'Another entry already gives this asset to another wallet.',
        );
      wallets.set(id, address);
    }
  return [...wallets].map(([assetId, address]) => ({ assetId, address }));
}

/** As text, the same for the same assets in any order: `<asset id> <address>`, separated by commas. */
export function printHandedAssets(handed: readonly HandedAsset[]): string {
  return handed
    .map(({ assetId, address }) => `${assetId} ${address}`)
    .sort()
    .join(', ');
}

/** Parses what `printHandedAssets` prints; none for null. */
export function parseHandedAssets(text: string | null): HandedAsset[] {
  if (text === null) return [];
  return text.split(', ').map((pair) => {
    const [assetId, address] = pair.split(' ');
    if (assetId === undefined || address === undefined) throw new RangeError(`not a handed asset: ${pair}`);
    return { assetId, address };
  });
}

/** Who gets what a vault that ends does not share. */
export interface Recipients {
  readonly remainingAssetsTo?: string | undefined;
  readonly unclaimedLovelaceTo?: string | undefined;
  readonly remainingAssets?: readonly { readonly address: string }[] | undefined;
}

/**
 * Throws `code` at the field below `field` that names the operator: no transaction of the end of a vault pays the one who signs and
 * pays for it, so that the end would wait there for good.
 */
export function requireOthersThanOperator(
  { remainingAssetsTo, unclaimedLovelaceTo, remainingAssets = [] }: Recipients,
  operator: string,
  { code, field }: { readonly code: ErrorCode; readonly field: string },
): void {
  const named = [
    ['remaining_assets_to', remainingAssetsTo],
    ['unclaimed_lovelace_to', unclaimedLovelaceTo],
    ...remainingAssets.map(({ address }, position) => [`remaining_assets.${position}.address`, address] as const),
  ] as const;
  const refused = named.find(([, address]) => address === operator);
  if (refused) throw fieldError(code, `${field}.${refused[0]}`, 'The wallet of the platform cannot be named here.');
}

/** What decides whether the claims on a vault are over. */
export interface ClaimsSnapshot {
  readonly claimDeadline: Instant | null;
  readonly pot: Pot;
  /** Whether the vault still has an asset that its holders can sell. */
  readonly hasAssets: boolean;
  /** Whether a wallet is named for the assets that are left. */
  readonly namesAssetRecipient: boolean;
}

/** Why the claims on a vault are over: their deadline has passed, or holders have nothing left to receive or to sell. Null before. */
export function endOfClaims(snapshot: ClaimsSnapshot, now: Instant): TerminationEnd | null {
  const { claimDeadline, pot, hasAssets, namesAssetRecipient } = snapshot;
  if (claimDeadline !== null && claimDeadline <= now) return 'claim_deadline';
  // The assets belong to those who hold tokens: a recipient is named for what they leave.
  const isOpen = pot.circulating > 0n ? pot.lovelace > 0n || hasAssets : hasAssets && !namesAssetRecipient;
  return isOpen ? null : 'nothing_left';
}

/** How long holders can claim when nothing else was decided: 90 days. */
export const CLAIM_SECONDS = 90 * 86_400;
