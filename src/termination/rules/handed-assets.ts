import { fieldError } from '../../platform/errors/errors.ts';

/** An asset that the decision to end a vault gives to a wallet. */
export interface HandedAsset {
  readonly assetId: string;
  readonly address: string;
}

/**
 * Each asset with the wallet that gets it, for wallets and the ids of what is named for each. Throws INVALID_REQUEST at
 * `<field>.<position>` for an asset that another wallet gets already.
 */
export function handedAssets(
  recipients: readonly { readonly address: string }[],
  assetIds: readonly (readonly string[])[],
  field: string,
): HandedAsset[] {
  const wallets = new Map<string, string>();
  for (const [position, { address }] of recipients.entries())
    for (const id of assetIds[position] ?? []) {
      if ((wallets.get(id) ?? address) !== address)
        throw fieldError('INVALID_REQUEST', `${field}.${position}`, 'The asset goes to another wallet already');
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
