const MAX_BYTES = 32;

/** Hex of an asset name given as UTF-8 text, or as hex after `0x`; undefined when it is neither or over 32 bytes (design D10). */
export function parseAssetName(text: string): string | undefined {
  const hex = text.startsWith('0x') ? text.slice(2).toLowerCase() : utf8Hex(text);
  return hex !== undefined && /^(?:[\da-f]{2})*$/.test(hex) && hex.length <= 2 * MAX_BYTES ? hex : undefined;
}

function utf8Hex(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  return [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
