import { blake2b224 } from '../blake2b.ts';
import type { KeyHash } from '../transaction.ts';

/** The hash of an Ed25519 public key by which addresses and scripts name it. */
export function keyHashOf(publicKey: Uint8Array): KeyHash {
  return Buffer.from(blake2b224(publicKey)).toString('hex');
}
