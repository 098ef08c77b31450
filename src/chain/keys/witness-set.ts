import { TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { fieldError } from '../../domain/errors.ts';
import { keyHashOf } from './key-hash.ts';
import { CborError } from '../cbor/fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from '../cbor/item-tree.ts';
import { withWasm, toErrors } from '../wasm.ts';
import type { SigningKey } from './keys.ts';
import { cslWitness, type Witness, witnessesOf } from './witnesses.ts';

/** The witnesses in what a CIP-30 wallet returns from `signTx` (CBOR hex); the signatures are not verified. Throws INVALID_CBOR at `witnessSet`. */
export function readWitnessSet(hex: string): Witness[] {
  const witnesses = decodeWitnessSet(hex);
  if (witnesses.length === 0) throw fieldError('INVALID_CBOR', 'witnessSet', 'The witness set holds no signature');
  return witnesses;
}

/** The witness set (CBOR hex) that a CIP-30 wallet with these keys returns from `signTx` with partialSign. */
export function witnessSetOf(cbor: string, keys: readonly SigningKey[]): string {
  const vkeys = witnessesOf(cbor, keys).map(cslWitness);
  return toErrors(() => withWasm(TransactionWitnessSet.from_json(JSON.stringify({ vkeys })), (set) => set.to_hex()));
}

/** A transaction of 16 KB has room for no more. */
const MAX_WITNESSES = 160;
const KEY_WITNESSES = 0;
/** The last key of a witness set in the Conway ledger's CDDL. */
const LAST_KEY = 7;

/** Read by our own code: the serialization library traps at some bytes, and never recovers (design D49). */
function decodeWitnessSet(hex: string): Witness[] {
  try {
    const field = numberedFields(readCborTree(hex), LAST_KEY).get(KEY_WITNESSES);
    const items = field ? setItems(field) : [];
    if (items.length > MAX_WITNESSES) throw new CborError('malformed');
    return items.map(witnessOf);
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    throw fieldError('INVALID_CBOR', 'witnessSet', 'This is not a transaction witness set in CBOR hex');
  }
}

function witnessOf({ major, items: [key, signed, ...others] }: CborTree): Witness {
  if (major !== 4 || others.length > 0) throw new CborError('malformed');
  const [publicKey, signature] = [byteStringHex(key, 32), byteStringHex(signed, 64)];
  return { keyHash: keyHashOf(Buffer.from(publicKey, 'hex')), publicKey, signature };
}
