import { z } from 'zod';
import { blake2b224 } from '../blake2b.ts';
import { hexBytes } from '../cbor/item-tree.ts';
import { type Cbor, type CborMap, readCbor, writeByteString } from '../cbor/read-cbor.ts';
import { keyHashOf, isEd25519Signature } from './keys.ts';
import { readBech32 } from '../scripts/address.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import { fieldError } from '../../platform/errors.ts';
import { type SignedVote, type VoteSignature, voteMessage } from '../../votes/rules.ts';

/** The signature that a wallet returned from CIP-30 `signData(address, payload)`, with the arguments of that call. */
interface DataSignature {
  /** Bech32, in either case: a payment address with a key, or a stake address with one. */
  readonly address: string;
  /** The text that the wallet was asked to sign. */
  readonly payload: string;
  /** COSE_Sign1 in CBOR hex. */
  readonly signature: string;
  /** COSE_Key in CBOR hex. */
  readonly key: string;
}

/** Why a signature does not prove control of an address. */
type SignatureRefusal =
  | 'not_a_key_address'
  | 'wrong_network'
  | 'malformed'
  | 'not_eddsa'
  | 'critical_header'
  | 'unsigned_header'
  | 'other_address'
  | 'other_key'
  | 'other_payload'
  | 'forged';

/**
 * Verifies a signature and returns the key that signed: the payment key of the address, or for a stake address the stake key.
 * One half of an address never proves the other: anyone can join another person's payment key with a stake key of their own.
 */
export function verifyDataSignature(
  { address, payload, signature, key }: DataSignature,
  networkId: NetworkId,
): { readonly keyHash: KeyHash } | SignatureRefusal {
  const expected = expectedSigner(address, networkId);
  if (typeof expected === 'string') return expected;
  const message = readSign1(signature);
  const signer = readKey(key);
  if (!message || !signer) return 'malformed';
  const refusal = headerRefusal(message, signer) ?? identityRefusal(message, signer, expected);
  if (refusal) return refusal;
  if (!isPayload(message.payload, payload)) return 'other_payload';
  return isSignedBy(message, signer) ? { keyHash: expected.keyHash } : 'forged';
}

interface ExpectedSigner {
  readonly addressBytes: Uint8Array;
  readonly keyHash: KeyHash;
}

/** CIP-19 header types whose first credential is a key: base (with a stake key or script), enterprise, stake. */
const keyAddressTypes = [0, 2, 6, 14];

/** The key that has to sign for an address. */
function expectedSigner(address: string, networkId: NetworkId): ExpectedSigner | SignatureRefusal {
  const addressBytes = readBech32(address)?.bytes;
  const header = addressBytes?.[0] ?? 0xff;
  if (!addressBytes || !keyAddressTypes.includes(header >> 4)) return 'not_a_key_address';
  if ((header & 0x0f) !== networkId) return 'wrong_network';
  return { addressBytes, keyHash: Buffer.from(addressBytes.subarray(1, 29)).toString('hex') };
}

function headerRefusal(message: CoseSign1, signer: CborMap): SignatureRefusal | undefined {
  if (!usesEdDsa(message, signer)) return 'not_eddsa';
  // Unknown headers may be ignored only if none is marked as critical.
  if (message.protectedHeaders.has(headerLabel.critical)) return 'critical_header';
  return Object.values(headerLabel).some((name) => message.unprotectedHeaders.has(name))
    ? 'unsigned_header'
    : undefined;
}

function identityRefusal(
  { protectedHeaders }: CoseSign1,
  signer: CborMap,
  { addressBytes, keyHash }: ExpectedSigner,
): SignatureRefusal | undefined {
  if (!isSame(protectedHeaders.get(headerLabel.address), addressBytes)) return 'other_address';
  const [headerKeyId, keyId] = [protectedHeaders.get(headerLabel.keyId), signer.get(keyLabel.keyId)];
  if (headerKeyId !== undefined && keyId !== undefined && !isSame(headerKeyId, keyId)) return 'other_key';
  const publicKey = signer.get(keyLabel.publicKey);
  const isExpected = publicKey instanceof Uint8Array && keyHashOf(publicKey) === keyHash;
  return isExpected ? undefined : 'other_key';
}

/**
 * Accepts the payload plain or hashed, whatever the `hashed` header says: hardware wallets hash, and some software wallets report it
 * wrongly.
 */
function isPayload(signed: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(text);
  return isSame(signed, bytes) || isSame(signed, blake2b224(bytes));
}

function isSame(one: Cbor | undefined, other: Cbor | undefined): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0;
}

/** Header labels of a COSE message (RFC 8152, CIP-8). */
const headerLabel = { algorithm: 1, critical: 2, keyId: 4, address: 'address' } as const;
/** Labels of a COSE_Key. */
const keyLabel = { type: 1, keyId: 2, algorithm: 3, curve: -1, publicKey: -2 } as const;

const EDDSA = -8;
const OCTET_KEY_PAIR = 1;
const ED25519 = 6;

interface CoseSign1 {
  /** As they were sent, byte for byte: they are part of what was signed. */
  readonly protectedBytes: Uint8Array;
  readonly protectedHeaders: CborMap;
  readonly unprotectedHeaders: CborMap;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

const Bytes = z.instanceof(Uint8Array);
const Sign1 = z.tuple([Bytes, z.instanceof<typeof Map<Cbor, Cbor>>(Map), Bytes, Bytes]);

/** Reads a COSE_Sign1 from CBOR hex; undefined for anything else. */
function readSign1(hex: string): CoseSign1 | undefined {
  const sign1 = Sign1.safeParse(readCbor(hexBytes(hex)));
  if (!sign1.success) return undefined;
  const [protectedBytes, unprotectedHeaders, payload, signature] = sign1.data;
  const protectedHeaders = readMap(protectedBytes);
  return protectedHeaders && { protectedBytes, protectedHeaders, unprotectedHeaders, payload, signature };
}

/** Reads a COSE_Key from CBOR hex; undefined for what is not a map. */
function readKey(hex: string): CborMap | undefined {
  return readMap(hexBytes(hex));
}

/** Whether message and key both use EdDSA over Ed25519, the only algorithm of CIP-8. */
function usesEdDsa({ protectedHeaders }: CoseSign1, key: CborMap): boolean {
  return (
    protectedHeaders.get(headerLabel.algorithm) === EDDSA &&
    key.get(keyLabel.type) === OCTET_KEY_PAIR &&
    key.get(keyLabel.algorithm) === EDDSA &&
    key.get(keyLabel.curve) === ED25519
  );
}

/** Whether this key signed the message. */
function isSignedBy({ protectedBytes, payload, signature }: CoseSign1, key: CborMap): boolean {
  const publicKey = key.get(keyLabel.publicKey);
  const message = signedStructure(protectedBytes, payload);
  return publicKey instanceof Uint8Array && isEd25519Signature({ publicKey, message, signature });
}

/** Sig_structure of COSE: ["Signature1", protected headers, no external data, payload]. */
function signedStructure(protectedBytes: Uint8Array, payload: Uint8Array): Buffer {
  const context = Buffer.from('Signature1');
  return Buffer.concat([
    Buffer.from([0x84, 0x60 + context.length]),
    context,
    writeByteString(protectedBytes),
    writeByteString(new Uint8Array()),
    writeByteString(payload),
  ]);
}

function readMap(bytes: Uint8Array): CborMap | undefined {
  const map = readCbor(bytes);
  return map instanceof Map ? map : undefined;
}

/** What a body may say of a signature; all of it or nothing. */
interface Claim {
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
  readonly key?: string | undefined;
}

interface VoteToVerify extends Omit<SignedVote, 'nonce'> {
  readonly voter: { readonly address: string };
}

/** The voter's own signature of this vote, when there is one. Raises INVALID_SIGNATURE. */
export function verifyVoteSignature(
  { nonce, signature, key }: Claim,
  { voter: { address }, ...vote }: VoteToVerify,
  { networkId }: { readonly networkId: NetworkId },
): VoteSignature | null {
  if (nonce === undefined || signature === undefined || key === undefined) return null;
  const payload = voteMessage({ ...vote, nonce });
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer === 'string') {
    const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
    throw fieldError('INVALID_SIGNATURE', 'signature', message);
  }
  return { nonce, signature: signature.toLowerCase(), key: key.toLowerCase() };
}
