import { ServiceError } from '../../domain/errors.ts';
import type { BuiltTransaction } from '../transaction.ts';
import { readWitnessSet } from './witness-set.ts';
import { isSignatureOf, type Witness } from './witnesses.ts';

/**
 * The witnesses in a CIP-30 witness set, each verified to be a required signature of this transaction. Throws INVALID_CBOR at
 * `witnessSet`, WITNESS_NOT_REQUIRED for a key that need not sign, INVALID_SIGNATURE for a forged signature or one of another
 * transaction.
 */
export function verifyWitnesses(
  { hash, requiredSigners }: Pick<BuiltTransaction, 'hash' | 'requiredSigners'>,
  witnessSetHex: string,
): Witness[] {
  const witnesses = readWitnessSet(witnessSetHex);
  for (const witness of witnesses) {
    const { keyHash } = witness;
    if (!requiredSigners.includes(keyHash))
      throw new ServiceError('WITNESS_NOT_REQUIRED', { keyHash, requiredSigners });
    if (!isSignatureOf(witness, hash)) throw new ServiceError('INVALID_SIGNATURE', { keyHash, hash });
  }
  return witnesses;
}
