import { CborError, foldCbor } from './fold.ts';

/** Deeper than any transaction nests, and far below the depth at which the serialization library fails. */
const MAX_DEPTH = 64;

/**
 * Whether CBOR bytes nest no deeper than the serialization library can read: a few thousand levels corrupt the memory of the
 * library, and every later call in the process fails. True for bytes that end early, false for other malformed bytes.
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
