import {
  FixedTransaction,
  PublicKey,
  Ed25519Signature,
  TransactionWitnessSet,
  Vkeywitness,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { z } from 'zod';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import { isShallowCbor } from '../cbor/depth.ts';
import { transactionHash } from '../build/draft.ts';
import type { SigningKey } from './keys.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

/** One key's signature of one transaction; everything in hex. */
export interface Witness {
  readonly keyHash: KeyHash;
  readonly publicKey: string;
  readonly signature: string;
}

const vkeyWitnesses = z.array(z.object({ vkey: z.string(), signature: z.string() })).nullish();
const witnessSetJson = z.object({ vkeys: vkeyWitnesses });

/** The signatures in a CIP-30 `signTx` answer (CBOR hex), unverified. Raises INVALID_CBOR at `witnessSet`. */
export function readWitnessSet(hex: string): Witness[] {
  const witnesses = decoded(hex);
  if (witnesses.length === 0) throw fieldError('INVALID_CBOR', 'witnessSet', 'The witness set holds no signature');
  return witnesses;
}

/**
 * The signatures in a CIP-30 witness set, each proven to be one this transaction waits for. Raises INVALID_CBOR at `witnessSet`,
 * WITNESS_NOT_REQUIRED for a key it does not wait for, INVALID_SIGNATURE for a forged one or one made for another transaction.
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

/** Adds witnesses to a transaction without touching its body; one that is there already stays single. */
export function mergeWitnesses(cbor: string, witnesses: readonly Witness[]): string {
  return toErrors(() =>
    withWasm(FixedTransaction.from_hex(cbor), (fixed) => {
      for (const witness of witnesses)
        withWasm(cslWitness(witness), (added) => {
          fixed.add_vkey_witness(added);
        });
      return fixed.to_hex();
    }),
  );
}

/** A transaction signed with our own keys. */
export function signTransaction(cbor: string, keys: readonly SigningKey[]): string {
  return mergeWitnesses(cbor, witnessesOf(cbor, keys));
}

/** The signatures of these keys over a transaction. */
export function witnessesOf(cbor: string, keys: readonly SigningKey[]): Witness[] {
  const hash = transactionHash(cbor);
  return keys.map(({ keyHash, publicKey, sign }) => ({ keyHash, publicKey, signature: sign(hash) }));
}

/** What a CIP-30 wallet with these keys answers to `signTx` with partialSign: a witness set in CBOR hex. */
export function witnessSetOf(cbor: string, keys: readonly SigningKey[]): string {
  const vkeys = witnessesOf(cbor, keys).map(witnessJson);
  return toErrors(() => withWasm(TransactionWitnessSet.from_json(JSON.stringify({ vkeys })), (set) => set.to_hex()));
}

function decoded(hex: string): Witness[] {
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

/** Whether this key signed the transaction with this hash. */
export function isSignatureOf({ publicKey, signature }: Witness, hash: string): boolean {
  return toErrors(() =>
    withWasm(PublicKey.from_hex(publicKey), (key) =>
      withWasm(Ed25519Signature.from_hex(signature), (signed) => key.verify(Buffer.from(hash, 'hex'), signed)),
    ),
  );
}

function cslWitness(witness: Witness): Vkeywitness {
  return Vkeywitness.from_json(JSON.stringify(witnessJson(witness)));
}

function witnessJson({ publicKey, signature }: Witness): { vkey: string; signature: string } {
  return { vkey: withWasm(PublicKey.from_hex(publicKey), (key) => key.to_bech32()), signature };
}
