import { CborError, foldCbor } from './fold.ts';

/** Far deeper than any part of a transaction, far shallower than what the serialization library survives. */
const MAX_DEPTH = 64;

/**
 * Whether CBOR bytes nest no deeper than the serialization library can read: at a few thousand levels the library loses its memory,
 * and every later call of the process fails. True for bytes that end early, false for other malformed bytes.
 */
export function isShallowCbor(bytes: Uint8Array): boolean {
  try {
    foldCbor(bytes, { maxDepth: MAX_DEPTH, build: () => null });
    return true;
  } catch (error) {
    if (error instanceof CborError) return error.reason === 'truncated';
    throw error;
  }
}
