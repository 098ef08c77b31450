import { TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { fieldError } from '../../platform/errors/errors.ts';
import { keyHashOf } from './key-hash.ts';
import { CborError } from '../cbor/fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from '../cbor/item-tree.ts';
import { hashOfBody } from '../cbor/transaction-body.ts';
import { withWasm, toErrors } from '../wasm.ts';
import type { SigningKey } from './keys.ts';
import { cslWitness, type Witness, witnessesOf } from './witnesses.ts';

/** Signatures as a wallet or a command line hands them over; they are not verified. */
export interface GivenWitnesses {
  readonly witnesses: readonly [Witness, ...Witness[]];
  /** Of the transaction that they came in; null if they came alone. */
  readonly transactionHash: string | null;
}

/**
 * Reads what a CIP-30 wallet returns from `signTx`, a whole signed transaction, or a single witness as command lines write it (CBOR
 * hex). Throws INVALID_CBOR at `witnessSet`.
 */
export function readGivenWitnesses(hex: string): GivenWitnesses {
  const { witnesses, transactionHash } = decode(hex);
  const [first, ...others] = witnesses;
  if (!first) throw fieldError('INVALID_CBOR', 'witnessSet', 'This holds no signature');
  return { witnesses: [first, ...others], transactionHash };
}

/** The witnesses in a witness set, as `readGivenWitnesses` reads them. */
export function readWitnessSet(hex: string): readonly Witness[] {
  return readGivenWitnesses(hex).witnesses;
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

/** Kind of a single witness: of a Shelley key. A Byron key has another one. */
const KEY_WITNESS = 0;

/** Read by our own code: the serialization library traps at some bytes, and never recovers (design D49). */
function decode(hex: string): { witnesses: readonly Witness[]; transactionHash: string | null } {
  try {
    const item = readCborTree(hex);
    const [first, second] = item.items;
    const isTransaction = item.major === 4 && item.items.length === 4;
    if (isTransaction && first && second) return { witnesses: witnessesIn(second), transactionHash: hashOfBody(first) };
    return { witnesses: item.major === 4 ? [singleWitness(item)] : witnessesIn(item), transactionHash: null };
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    const message = 'This is not a witness set, a signed transaction or a key witness in CBOR hex';
    throw fieldError('INVALID_CBOR', 'witnessSet', message);
  }
}

function singleWitness({ items: [kind, witness, ...others] }: CborTree): Witness {
  if (kind?.major !== 0 || kind.argument !== KEY_WITNESS || !witness || others.length > 0)
    throw new CborError('malformed');
  return witnessOf(witness);
}

function witnessesIn(set: CborTree): Witness[] {
  const field = numberedFields(set, LAST_KEY).get(KEY_WITNESSES);
  const items = field ? setItems(field) : [];
  if (items.length > MAX_WITNESSES) throw new CborError('malformed');
  return items.map(witnessOf);
}

function witnessOf({ major, items: [key, signed, ...others] }: CborTree): Witness {
  if (major !== 4 || others.length > 0) throw new CborError('malformed');
  const [publicKey, signature] = [byteStringHex(key, 32), byteStringHex(signed, 64)];
  return { keyHash: keyHashOf(Buffer.from(publicKey, 'hex')), publicKey, signature };
}
