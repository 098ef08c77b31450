import { blake2b256 } from '../cardano/blake2b.ts';
import { CborError } from '../cardano/cbor/fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from '../cardano/cbor/item-tree.ts';
import { isEd25519Signature } from '../cardano/keys/ed25519.ts';
import { keyHashOf } from '../cardano/keys/key-hash.ts';
import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import type { KeyHash, Unit } from '../cardano/transaction.ts';
import { policyOf } from '../assets/rules/unit.ts';
import type { UtxoRef } from '../transactions/rules/utxo-ref.ts';
import { integerOf, refOf } from './decode-values.ts';
import { type DecodedOutput, outputOf } from './decode-output.ts';
import { metadataOf } from './decode-metadata.ts';
import { mintOf } from './decode-mint.ts';

/** What the bytes of a transaction say that the platform is asked to sign. */
export interface DecodedTransaction {
  readonly hash: string;
  /** Its size without signatures. */
  readonly bytes: number;
  readonly inputs: readonly UtxoRef[];
  readonly outputs: readonly DecodedOutput[];
  readonly fee: bigint;
  /** The first slot in which it is no longer valid; null when it is valid for ever. */
  readonly ttlSlot: number | null;
  /** Minted (or, below zero, burned) quantities. */
  readonly mint: ReadonlyMap<Unit, bigint>;
  /** Signers that the body names, without whom the ledger refuses it. */
  readonly requiredSigners: readonly KeyHash[];
  /** By label; null without any. */
  readonly metadata: CborMap | null;
}

/** Keys of a transaction body in the Conway ledger's CDDL. */
const field = { inputs: 0, outputs: 1, fee: 2, ttl: 3, metadataHash: 7, mint: 9, requiredSigners: 14 } as const;
const LAST_FIELD = 22;
/** Keys of a witness set in the same CDDL. */
const KEY_WITNESSES = 0;
const LAST_WITNESSES = 7;
const known: ReadonlySet<number> = new Set(Object.values(field));

/**
 * Decodes a transaction (CBOR hex) by our own reader, which shares no code with the builders (design D44). Throws CborError for
 * anything that no transaction of the platform has: certificates, withdrawals, votes, collateral, reference inputs and scripts.
 */
export function decodeTransaction(hex: string): DecodedTransaction {
  const { body, auxiliary } = partsOf(hex);
  const fields = numberedFields(body, LAST_FIELD);
  if ([...fields.keys()].some((key) => !known.has(key))) throw new CborError('malformed');
  const given = <Result>(key: number, read: (item: CborTree) => Result): Result | null => {
    const item = fields.get(key);
    return item ? read(item) : null;
  };
  const [inputs, outputs, fee] = [fields.get(field.inputs), fields.get(field.outputs), fields.get(field.fee)];
  if (!inputs || !outputs || !fee) throw new CborError('malformed');
  return {
    hash: hashOf(body),
    bytes: hex.length / 2,
    inputs: setItems(inputs).map(refOf),
    outputs: setItems(outputs).map(outputOf),
    fee: integerOf(fee),
    ttlSlot: given(field.ttl, (item) => Number(integerOf(item))),
    mint: given(field.mint, mintOf) ?? new Map<Unit, bigint>(),
    requiredSigners: given(field.requiredSigners, setItems)?.map((item) => byteStringHex(item, 28)) ?? [],
    metadata: metadataOf(
      auxiliary,
      given(field.metadataHash, (item) => byteStringHex(item, 32)),
    ),
  };
}

/** The hash of any transaction (CBOR hex), and its outputs, whoever made it. Throws CborError for other bytes. */
export function decodeOutputs(hex: string): Pick<DecodedTransaction, 'hash' | 'outputs'> {
  const { body } = partsOf(hex);
  const outputs = numberedFields(body, LAST_FIELD).get(field.outputs);
  if (!outputs) throw new CborError('malformed');
  return { hash: hashOf(body), outputs: setItems(outputs).map(outputOf) };
}

/** The policies under which any transaction mints, and when it ends. Throws CborError for bytes that are no transaction. */
export function decodeMint(
  hex: string,
): Pick<DecodedTransaction, 'ttlSlot'> & { readonly policies: readonly string[] } {
  const fields = numberedFields(partsOf(hex).body, LAST_FIELD);
  const [mint, ttl] = [fields.get(field.mint), fields.get(field.ttl)];
  const units = mint ? [...mintOf(mint).keys()] : [];
  return { ttlSlot: ttl ? Number(integerOf(ttl)) : null, policies: units.map(policyOf) };
}

/** The hash of any transaction (CBOR hex), and the keys that have signed it. Throws CborError for bytes that are no transaction. */
export function keyWitnessesOf(hex: string): { readonly hash: string; readonly signers: readonly KeyHash[] } {
  const { hash, signatures } = signaturesOf(hex);
  return { hash, signers: signatures.map(({ publicKey }) => keyHashOf(Buffer.from(publicKey, 'hex'))) };
}

/** As `keyWitnessesOf`, of a transaction that no ledger may have: who has signed its hash. */
export function validSignaturesOf(hex: string): { readonly hash: string; readonly signers: readonly KeyHash[] } {
  const { hash, signatures } = signaturesOf(hex);
  const message = Buffer.from(hash, 'hex');
  const valid = signatures
    .map((one) => ({ publicKey: Buffer.from(one.publicKey, 'hex'), signature: Buffer.from(one.signature, 'hex') }))
    .filter((one) => isEd25519Signature({ ...one, message }));
  return { hash, signers: valid.map(({ publicKey }) => keyHashOf(publicKey)) };
}

function signaturesOf(hex: string) {
  const { body, witnesses } = partsOf(hex);
  const signed = numberedFields(witnesses, LAST_WITNESSES).get(KEY_WITNESSES);
  const signatures = (signed ? setItems(signed) : []).map(({ items: [key, signature] }) => ({
    publicKey: byteStringHex(key, 32),
    signature: byteStringHex(signature, 64),
  }));
  return { hash: hashOf(body), signatures };
}

interface Parts {
  readonly body: CborTree;
  readonly witnesses: CborTree;
  readonly auxiliary: CborTree;
}

function partsOf(hex: string): Parts {
  const { major, items } = readCborTree(hex);
  const [body, witnesses, , auxiliary] = items;
  if (major !== 4 || items.length !== 4 || !body || !witnesses || !auxiliary) throw new CborError('malformed');
  return { body, witnesses, auxiliary };
}

function hashOf({ encoded }: CborTree): string {
  return Buffer.from(blake2b256(encoded)).toString('hex');
}
