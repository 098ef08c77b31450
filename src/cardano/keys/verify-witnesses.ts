import { ServiceError } from '../../platform/errors/errors.ts';
import type { BuiltTransaction } from '../transaction.ts';
import { readGivenWitnesses } from './witness-set.ts';
import { isSignatureOf, type Witness } from './witnesses.ts';

/**
 * The witnesses that this transaction needs among those that `readGivenWitnesses` reads, each verified. The others are dropped unread:
 * wallets also sign with keys that need not, such as their stake key. Throws INVALID_CBOR at `witnessSet`,
 * WITNESS_FOR_ANOTHER_TRANSACTION for another signed transaction, WITNESS_NOT_REQUIRED when no key need sign, INVALID_SIGNATURE for a
 * forged signature of one that must, or its signature of another transaction.
 */
export function verifyWitnesses(
  { hash, requiredSigners }: Pick<BuiltTransaction, 'hash' | 'requiredSigners'>,
  given: string,
): Witness[] {
  const { witnesses, transactionHash } = readGivenWitnesses(given);
  if (transactionHash !== null && transactionHash !== hash)
    throw new ServiceError('WITNESS_FOR_ANOTHER_TRANSACTION', { signed: transactionHash });
  const needed = witnesses.filter(({ keyHash }) => requiredSigners.includes(keyHash));
  if (needed.length === 0)
    throw new ServiceError('WITNESS_NOT_REQUIRED', { keyHash: witnesses[0].keyHash, requiredSigners });
  const invalid = needed.find((witness) => !isSignatureOf(witness, hash));
  if (invalid) throw new ServiceError('INVALID_SIGNATURE', { keyHash: invalid.keyHash, hash });
  return needed;
}
