/** The two hexadecimal digits of each byte. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** The value of each digit, by its character code. */
const VALUES = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);

/** Bytes as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte] ?? '';
  return text;
}

/** Bytes of hex in any case; undefined for other text. */
export function bytesOf(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    const high = VALUES.get(hex.charCodeAt(2 * at));
    const low = VALUES.get(hex.charCodeAt(2 * at + 1));
    if (high === undefined || low === undefined) return undefined;
    bytes[at] = 16 * high + low;
  }
  return bytes;
}
