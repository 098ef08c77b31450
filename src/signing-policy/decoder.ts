import { policyOf } from '../assets/rules/asset.ts';
import { blake2b256 } from '../cardano/blake2b.ts';
import { CborError } from '../cardano/cbor/fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from '../cardano/cbor/item-tree.ts';
import { type CborMap, readCbor } from '../cardano/cbor/read-cbor.ts';
import { isEd25519Signature, keyHashOf } from '../cardano/keys/keys.ts';
import { writeBech32 } from '../cardano/scripts/address.ts';
import type { KeyHash, Unit, Holding } from '../cardano/transaction.ts';
import { lovelace } from '../platform/units/money.ts';
import type { UtxoRef } from '../transactions/rules.ts';

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

/** The hash of any transaction (CBOR hex), and its outputs, whoever made it. */
export function decodeOutputs(hex: string): Pick<DecodedTransaction, 'hash' | 'outputs'> {
  const { body } = partsOf(hex);
  const outputs = numberedFields(body, LAST_FIELD).get(field.outputs);
  if (!outputs) throw new CborError('malformed');
  return { hash: hashOf(body), outputs: setItems(outputs).map(outputOf) };
}

/** The policies under which any transaction mints, and when it ends. */
export function decodeMint(
  hex: string,
): Pick<DecodedTransaction, 'ttlSlot'> & { readonly policies: readonly string[] } {
  const fields = numberedFields(partsOf(hex).body, LAST_FIELD);
  const [mint, ttl] = [fields.get(field.mint), fields.get(field.ttl)];
  const units = mint ? [...mintOf(mint).keys()] : [];
  return { ttlSlot: ttl ? Number(integerOf(ttl)) : null, policies: units.map(policyOf) };
}

/** The hash of any transaction (CBOR hex), and the keys that have signed it. */
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

/** An output as its bytes say. */
export interface DecodedOutput extends Holding {
  /** The datum, encoded, in hex; null without one. */
  readonly datum: string | null;
  readonly hasReferenceScript: boolean;
  /** Its size, by which the ledger counts its min-ADA. */
  readonly bytes: number;
}

/** Keys of an output in the Conway ledger's CDDL. */
const outputField = { address: 0, value: 1, datum: 2, script: 3 } as const;

/** Decodes an output in either of its forms. */
function outputOf(item: CborTree): DecodedOutput {
  const parts = item.major === 4 ? new Map(item.items.entries()) : numberedFields(item, outputField.script);
  const [address, value] = [parts.get(outputField.address), parts.get(outputField.value)];
  if (!address || !value || parts.size > 4) throw new CborError('malformed');
  return {
    address: addressOf(bytesOf(address)),
    ...valueOf(value),
    datum: parts.get(outputField.datum)?.encoded.toString('hex') ?? null,
    hasReferenceScript: parts.has(outputField.script),
    bytes: item.encoded.length,
  };
}

/** Hex digits of the longest address of the Shelley era. */
const LONGEST_ADDRESS = 114;

/** The address as text; an older one, which nothing here pays, stays in hex. */
function addressOf(hex: string): string {
  return hex.length <= LONGEST_ADDRESS ? writeBech32(hex) : hex;
}

function valueOf(item: CborTree): Pick<Holding, 'lovelace' | 'assets'> {
  if (item.major !== 4) return { lovelace: lovelace(integerOf(item)), assets: new Map<Unit, bigint>() };
  const [coin, assets, ...others] = item.items;
  if (!coin || !assets || others.length > 0) throw new CborError('malformed');
  return { lovelace: lovelace(integerOf(coin)), assets: mintOf(assets) };
}

/** A whole number of up to 64 bits, exact. */
function integerOf({ major, info, encoded }: CborTree): bigint {
  if (major !== 0 && major !== 1) throw new CborError('malformed');
  const argument = info < 24 ? BigInt(info) : BigInt(`0x${encoded.subarray(1).toString('hex')}`);
  return major === 0 ? argument : -1n - argument;
}

/** A reference to an output. */
function refOf({ major, items: [hash, index, ...others] }: CborTree): UtxoRef {
  if (major !== 4 || !index || others.length > 0) throw new CborError('malformed');
  return { txHash: byteStringHex(hash, 32), index: Number(integerOf(index)) };
}

/** The keys of a map with their values, in the order of the bytes; no key twice. */
function entriesOf({ major, items }: CborTree): readonly (readonly [key: CborTree, value: CborTree])[] {
  if (major !== 5) throw new CborError('malformed');
  const entries: (readonly [CborTree, CborTree])[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [key, value] = [items[at], items[at + 1]];
    if (key && value) entries.push([key, value]);
  }
  if (new Set(entries.map(([key]) => key.encoded.toString('hex'))).size < entries.length)
    throw new CborError('malformed');
  return entries;
}

/** A byte string of any length, in hex. */
function bytesOf(item: CborTree): string {
  return byteStringHex(item, item.content.length);
}

/** Quantities by policy id and asset name, as in a value or a mint field. */
function mintOf(item: CborTree): ReadonlyMap<Unit, bigint> {
  return new Map(
    entriesOf(item).flatMap(([policy, names]) =>
      entriesOf(names).map(([name, quantity]): [Unit, bigint] => [
        bytesOf(policy) + bytesOf(name),
        integerOf(quantity),
      ]),
    ),
  );
}

const NULL = 22;

/** The metadata of a transaction, whose hash the body has to name; null without any. Throws CborError for scripts with it. */
function metadataOf(auxiliary: CborTree, hash: string | null): CborMap | null {
  if (auxiliary.major === 7 && auxiliary.info === NULL && hash === null) return null;
  const metadata = readCbor(auxiliary.encoded);
  const found = Buffer.from(blake2b256(auxiliary.encoded)).toString('hex');
  if (!isMap(metadata) || found !== hash) throw new CborError('malformed');
  return metadata;
}

function isMap(item: unknown): item is CborMap {
  return item instanceof Map;
}

const DECIMALS = Buffer.from('decimals').toString('hex');

/** The decimals that an inline CIP-68 datum (an output's datum option, in hex) says; null when it says none. */
export function decimalsIn(datumOption: string): number | null {
  const [, encoded] = readCborTree(datumOption).items;
  const bytes = encoded?.items[0]?.content;
  return bytes ? decimalsOf(readCborTree(bytes.toString('hex'))) : null;
}

function decimalsOf({ items: [description] }: CborTree): number | null {
  const fields = description?.major === 5 ? description.items : (description?.items[0]?.items ?? []);
  const at = fields.findIndex(({ content }, index) => index % 2 === 0 && content.toString('hex') === DECIMALS);
  const value = fields[at + 1];
  return at === -1 || !value ? null : Number(integerOf(value));
}

/**
 * What bytes of a transaction say that the platform has not made sure of; null when they cannot be read. Anybody can send such a
 * transaction to a vault, and the vault has to continue.
 */
export function readUntrusted<Read>(bytes: string | null, read: (bytes: string) => Read): Read | null {
  if (bytes === null) return null;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof CborError) return null;
    throw error;
  }
}
