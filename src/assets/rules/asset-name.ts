import { bytesOf } from '../../platform/units/hex.ts';
import { unseenProblem } from '../../platform/units/visible-text.ts';

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
