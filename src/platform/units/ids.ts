import type { Clock } from './clock.ts';

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
