import {
  FixedTransaction,
  PublicKey,
  Vkeywitness,
  TransactionWitnessSet,
  NativeScript,
  NativeScripts,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { transactionHash } from '../build/draft.ts';
import { CborError } from '../cbor/fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from '../cbor/item-tree.ts';
import { hashOfBody } from '../cbor/transaction-body.ts';
import { isEd25519Signature, type SigningKey, keyHashOf } from './keys.ts';
import { cslScript } from '../scripts/native-script.ts';
import type { KeyHash, BuiltTransaction } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import type { Cosigners } from '../../transactions/rules.ts';

/** One key's signature of one transaction; everything in hex. */
export interface Witness {
  readonly keyHash: KeyHash;
  readonly publicKey: string;
  readonly signature: string;
}

/** Adds witnesses to a transaction without changing its body; a witness that is already there is not added again. */
export function mergeWitnesses(cbor: string, witnesses: readonly Witness[]): string {
  return toErrors(() =>
    withWasm(FixedTransaction.from_hex(cbor), (fixed) => {
      for (const witness of witnesses)
        withWasm(Vkeywitness.from_json(JSON.stringify(cslWitness(witness))), (added) => {
          fixed.add_vkey_witness(added);
        });
      return fixed.to_hex();
    }),
  );
}

export function signTransaction(cbor: string, keys: readonly SigningKey[]): string {
  return mergeWitnesses(cbor, witnessesOf(cbor, keys));
}

/** The witnesses of these keys for a transaction. */
export function witnessesOf(cbor: string, keys: readonly SigningKey[]): Witness[] {
  const hash = transactionHash(cbor);
  return keys.map(({ keyHash, publicKey, sign }) => ({ keyHash, publicKey, signature: sign(hash) }));
}

export function isSignatureOf({ publicKey, signature }: Witness, hash: string): boolean {
  return isEd25519Signature({
    publicKey: Buffer.from(publicKey, 'hex'),
    message: Buffer.from(hash, 'hex'),
    signature: Buffer.from(signature, 'hex'),
  });
}

/** A witness in the JSON form that the serialization library reads. */
function cslWitness({ publicKey, signature }: Witness): { vkey: string; signature: string } {
  return { vkey: withWasm(PublicKey.from_hex(publicKey), (key) => key.to_bech32()), signature };
}

/** Signatures as a wallet or a command line hands them over; they are not verified. */
interface GivenWitnesses {
  readonly witnesses: readonly [Witness, ...Witness[]];
  /** Of the transaction that they came in; null if they came alone. */
  readonly transactionHash: string | null;
}

/**
 * Reads what a CIP-30 wallet returns from `signTx`, a whole signed transaction, or a single witness as command lines write it (CBOR
 * hex).
 */
function readGivenWitnesses(hex: string): GivenWitnesses {
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

/**
 * The witnesses that this transaction needs among those that `readGivenWitnesses` reads, each verified. The others are dropped unread:
 * wallets also sign with keys that need not, such as their stake key.
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

/**
 * An unsigned transaction (CBOR hex) whose witness set also has a native script that names these cosigners. A wallet signs only with
 * keys that the transaction names, and a body can only name those who must sign. The body, and so the hash, stays as it is; the
 * script is not part of what is submitted, because the ledger refuses a script that nothing needs.
 */
export function showCosigners(cbor: string, { required, keyHashes }: Cosigners): string {
  const script = cslScript({ atLeast: required, of: keyHashes.map((sig) => ({ sig })) });
  return toErrors(() =>
    withWasm(FixedTransaction.from_hex(cbor), (fixed) => {
      fixed.set_witness_set(withWasm(fixed.witness_set(), (set) => withScript(set, script).to_bytes()));
      return fixed.to_hex();
    }),
  );
}

function withScript(set: ReturnType<FixedTransaction['witness_set']>, script: object): typeof set {
  withWasm(set.native_scripts() ?? NativeScripts.new(), (scripts) => {
    withWasm(NativeScript.from_json(JSON.stringify(script)), (added) => {
      scripts.add(added);
    });
    set.set_native_scripts(scripts);
  });
  return set;
}
