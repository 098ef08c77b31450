import type { Clock } from './time.ts';

/** Creates the identifiers of rows, workflows and requests. */
export interface Ids {
  next(): string;
}

/** The two hexadecimal digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Random bytes of an identifier. */
const BYTES = 10;
/** Random bytes are asked for by many identifiers at once: each question costs as much as all the rest. */
const POOLED = 256;

/** UUIDv7 (RFC 9562 section 5.7): ordered by the millisecond of `clock`, 74 bits from `random(bytes)`. */
export function createIds({ clock, random }: { clock: Clock; random: (bytes: number) => Uint8Array }): Ids {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  const takeNoise = () => {
    if (used === pool.length) [pool, used] = [random(BYTES * POOLED), 0];
    return pool.subarray(used, (used += BYTES));
  };
  return {
    next() {
      const time = clock.now().toString(16).padStart(12, '0');
      const noise = takeNoise();
      let hex = '';
      for (const byte of noise) hex += HEX[byte] ?? '';
      const variant = (8 + ((noise[2] ?? 0) >> 6)).toString(16);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(1, 4)}-${variant}${hex.slice(5, 8)}-${hex.slice(8)}`;
    },
  };
}

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

/** Bytes of hex, upper or lower case; undefined for other text. */
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

/** The name of a vault or asset type as it is stored: upper case with underscores. Undefined for text that is no name. */
export function parseTypeName(text: string): string | undefined {
  const name = text.toUpperCase().replaceAll(/[- ]/g, '_');
  return /^[A-Z][A-Z0-9_]{0,39}$/.test(name) ? name : undefined;
}
