import type { Clock } from './clock.ts';

/** Creates the identifiers of rows, workflows and requests. */
export interface Ids {
  next(): string;
}

/** UUIDv7 (RFC 9562 section 5.7): ordered by the millisecond of `clock`, 74 bits from `random(bytes)`. */
export function createIds({ clock, random }: { clock: Clock; random: (bytes: number) => Uint8Array }): Ids {
  return {
    next() {
      const time = clock.now().toString(16).padStart(12, '0');
      const noise = random(10);
      const hex = Array.from(noise, (byte) => byte.toString(16).padStart(2, '0')).join('');
      const variant = (8 + ((noise[2] ?? 0) >> 6)).toString(16);
      return [
        time.slice(0, 8),
        time.slice(8),
        `7${hex.slice(1, 4)}`,
        `${variant}${hex.slice(5, 8)}`,
        hex.slice(8, 20),
      ].join('-');
    },
  };
}
