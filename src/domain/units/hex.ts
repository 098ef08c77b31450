/** Bytes as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of hex in any case; undefined for other text. */
export function bytesOf(hex: string): Uint8Array | undefined {
  if (!/^(?:[\da-f]{2})*$/i.test(hex)) return undefined;
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}
