import { blake2b } from '@noble/hashes/blake2.js';

/** Blake2b with 28 bytes: hashes of keys. */
export function blake2b224(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 28 });
}

/** Blake2b with 32 bytes: transaction ids, and the leaves and nodes of anchored facts (design §5). */
export function blake2b256(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 32 });
}
