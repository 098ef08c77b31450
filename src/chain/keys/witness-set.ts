import { PublicKey, TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { z } from 'zod';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import { isShallowCbor } from '../cbor/depth.ts';
import type { BuiltTransaction } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';
import type { SigningKey } from './keys.ts';
import { cslWitness, isSignatureOf, type Witness, witnessesOf } from './witnesses.ts';

/** The witnesses in what a CIP-30 wallet returns from `signTx` (CBOR hex); the signatures are not verified. Throws INVALID_CBOR at `witnessSet`. */
export function readWitnessSet(hex: string): Witness[] {
  const witnesses = decodeWitnessSet(hex);
  if (witnesses.length === 0) throw fieldError('INVALID_CBOR', 'witnessSet', 'The witness set holds no signature');
  return witnesses;
}

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

/** The witness set (CBOR hex) that a CIP-30 wallet with these keys returns from `signTx` with partialSign. */
export function witnessSetOf(cbor: string, keys: readonly SigningKey[]): string {
  const vkeys = witnessesOf(cbor, keys).map(cslWitness);
  return toErrors(() => withWasm(TransactionWitnessSet.from_json(JSON.stringify({ vkeys })), (set) => set.to_hex()));
}

const vkeyWitnesses = z.array(z.object({ vkey: z.string(), signature: z.string() })).nullish();
const witnessSetJson = z.object({ vkeys: vkeyWitnesses });

function decodeWitnessSet(hex: string): Witness[] {
  const refusal = fieldError('INVALID_CBOR', 'witnessSet', 'This is not a transaction witness set in CBOR hex');
  if (!isShallowCbor(Buffer.from(hex, 'hex'))) throw refusal;
  try {
    return withWasm(TransactionWitnessSet.from_hex(hex), (set) => {
      const { vkeys } = witnessSetJson.parse(JSON.parse(set.to_json()));
      return (vkeys ?? []).map(({ vkey, signature }) =>
        withWasm(PublicKey.from_bech32(vkey), (key) => ({
          keyHash: withWasm(key.hash(), (hash) => hash.to_hex()),
          publicKey: key.to_hex(),
          signature,
        })),
      );
    });
  } catch {
    throw refusal;
  }
}
