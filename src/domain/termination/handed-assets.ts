/** An asset that the decision to end a vault gives to a wallet. */
export interface HandedAsset {
  readonly assetId: string;
  readonly address: string;
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
