import { type ErrorCode, fieldError } from '../../platform/errors/errors.ts';

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
  if (refused) throw fieldError(code, `${field}.${refused[0]}`, "The platform's own wallet cannot be named");
}
