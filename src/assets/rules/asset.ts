import type { ErrorCode } from '../../platform/error-registry.ts';
import { atField, ServiceError, withDetails } from '../../platform/errors.ts';
import { transitions } from '../../platform/states.ts';
import { bytesOf } from '../../platform/units/ids.ts';
import { unseenProblem } from '../../platform/units/visible-text.ts';

/** One native asset: a policy and a name in hex. */
export interface AssetClass {
  readonly policyId: string;
  readonly assetName: string;
}

/** The asset as the ledger and price lists name it: its policy id followed by its name. */
export function unitOf({ policyId, assetName }: AssetClass): string {
  return policyId + assetName;
}

export const assetTypes = ['NFT', 'CNT'] as const;
/** What an asset is on the ledger: unique or fungible. Registered types have one of these as their base (asset-type.ts). */
export type AssetType = (typeof assetTypes)[number];

/** Whether an asset of this supply (base units on the ledger) is an NFT (design D42). */
export function isUnique(supply: bigint): boolean {
  return supply === 1n;
}

export const assetStatuses = ['PENDING', 'LOCKED', 'RELEASED'] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/**
 * Why an asset is not in its vault: it never arrived, the ledger rejected it, it was removed while the window was open, a failed
 * vault returned it, its owner took it back alone after T, an executed proposal sold it, another deposit of the same NFT was on
 * the ledger before it, its wallet sent it to a vault without a place left, its share in the settlement was no unit, it would have counted with too
 * little of its value, or its vault gave it to a named wallet when it ended.
 */
export const assetReleaseReasons = [
  'expired',
  'failed',
  'removed',
  'refunded',
  'reclaimed',
  'sold',
  'duplicate',
  'vault_full',
  'share_below_one_unit',
  'share_of_value_capped',
  'handed_over',
] as const;
export type AssetReleaseReason = (typeof assetReleaseReasons)[number];

/** Why an asset that is on the ledger never counted in its vault: what it brought is unsolicited, and goes back. */
export const unsolicitedReasons = ['duplicate', 'vault_full'] as const satisfies readonly AssetReleaseReason[];
export type UnsolicitedReason = (typeof unsolicitedReasons)[number];

export function isUnsolicited({ releaseReason }: { readonly releaseReason: AssetReleaseReason | null }): boolean {
  return unsolicitedReasons.some((reason) => reason === releaseReason);
}

/** The next status of an asset. RELEASED → LOCKED undoes a removal or refund that was rolled back. */
export const assetTransition = transitions<AssetStatus>(
  'asset',
  { PENDING: ['LOCKED', 'RELEASED'], LOCKED: ['RELEASED'], RELEASED: [] },
  { LOCKED: ['PENDING'], RELEASED: ['LOCKED'] },
);

/** The most assets that a vault can accept (spec, "Validation bounds"). */
export const maxAssetsPerVault = 100;

/** Hex digits of a policy id; the name of an asset follows it in a unit. */
const POLICY_LENGTH = 56;

/** The policy id of an asset's unit (policy id and asset name, both in hex). */
export function policyOf(unit: string): string {
  return unit.slice(0, POLICY_LENGTH);
}

/** The name in hex of an asset's unit (policy id and asset name, both in hex). */
export function nameOf(unit: string): string {
  return unit.slice(POLICY_LENGTH);
}

const MAX_BYTES = 32;

/** Hex of an asset name given as UTF-8 text, or as hex after `0x`; undefined if it is neither, or longer than 32 bytes (design D10). */
export function parseAssetName(text: string): string | undefined {
  const hex = text.startsWith('0x') ? text.slice(2).toLowerCase() : utf8Hex(text);
  return hex !== undefined && /^(?:[\da-f]{2})*$/.test(hex) && hex.length <= 2 * MAX_BYTES ? hex : undefined;
}

/** The inverse of `parseAssetName`: readable names as text, others as hex after `0x`. */
export function printAssetName(hex: string): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(hex));
  const isReadable = /^[^\p{C}\ufffd]+$/u.test(text) && unseenProblem(text, { isMultiLine: false }) === undefined;
  return isReadable && !text.startsWith('0x') ? text : `0x${hex}`;
}

function utf8Hex(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  return [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

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

/** The field that an error without fields is about, in a request that lists assets. */
const fields: Partial<Record<ErrorCode, string>> = {
  ASSET_NOT_WHITELISTED: 'policyId',
  ASSET_IS_REFERENCE_TOKEN: 'assetName',
  ASSET_TYPE_NOT_ALLOWED: 'type',
  VALUATION_METHOD_NOT_ALLOWED: 'valuationMethod',
  ASSET_ALREADY_IN_VAULT: 'assetName',
  ASSET_NOT_IN_WALLET: 'assetName',
  PRICE_UNAVAILABLE: 'assetName',
};

/** The same error with the fields as `assets.<position>.<field>`. An error that is not about an asset stays as it is. */
export function errorOfListedAsset(cause: unknown, position: number): unknown {
  if (!(cause instanceof ServiceError)) return cause;
  const field = fields[cause.code];
  const error = field === undefined ? cause : atField(cause, field);
  const problems = error.details?.errors;
  if (problems === undefined) return cause;
  return withDetails(error, {
    errors: problems.map((problem) => ({ ...problem, field: `assets.${position}.${problem.field}` })),
  });
}
