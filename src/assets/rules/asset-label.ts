import type { AssetClass } from './asset.ts';

/** Labels of CIP-68: 100 describes the token of the same name with another label, 333 and 444 are fungible. */
const REFERENCE = 100;
const FUNGIBLE = [333, 444];

/** The label (CIP-67) that the name of an asset begins with; undefined for a name without one, also one with a wrong checksum. */
export function labelOf(assetNameHex: string): number | undefined {
  const [, label, checksum] = /^0([\da-f]{4})([\da-f]{2})0/.exec(assetNameHex) ?? [];
  if (label === undefined || checksum === undefined) return undefined;
  return crc8(Buffer.from(label, 'hex')) === Number.parseInt(checksum, 16) ? Number.parseInt(label, 16) : undefined;
}

/** Whether an asset is a reference token: it describes another token, and is worth nothing by itself. */
export function isReferenceToken({ assetName }: Pick<AssetClass, 'assetName'>): boolean {
  return labelOf(assetName) === REFERENCE;
}

/** Whether an asset says of itself that it is fungible, however many there are. */
export function isFungibleByName({ assetName }: Pick<AssetClass, 'assetName'>): boolean {
  const label = labelOf(assetName);
  return label !== undefined && FUNGIBLE.includes(label);
}

/** CRC-8 with the polynomial 0x07, as CIP-67 has it. */
function crc8(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => {
    let rest = sum ^ byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest & 0x80) === 0 ? rest << 1 : ((rest << 1) ^ 0x07) & 0xff;
    return rest;
  }, 0);
}
