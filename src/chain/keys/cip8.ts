import { createPublicKey, verify } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { z } from 'zod';
import { readBech32 } from '../scripts/address.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import { type Cbor, type CborMap, readCbor, writeByteString } from '../cbor/cose.ts';

/** What a wallet answered to CIP-30 `signData(address, payload)`, and what it was asked. */
export interface DataSignature {
  /** Bech32, in either case: a payment address with a key, or a stake address with one. */
  readonly address: string;
  /** The text that was to be signed. */
  readonly payload: string;
  /** COSE_Sign1 in CBOR hex. */
  readonly signature: string;
  /** COSE_Key in CBOR hex. */
  readonly key: string;
}

/** Why a signature proves nothing about an address. */
export type SignatureRefusal =
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
 * The key that signed, when it is the one this very address is made of: its payment key, or of a stake address the stake key.
 * The two halves of an address are never inferred from each other: anyone can join another's payment key with a stake key of
 * their own (notes, cardano.md section 6).
 */
export function verifyDataSignature(
  { address, payload, signature, key }: DataSignature,
  networkId: NetworkId,
): { readonly keyHash: KeyHash } | SignatureRefusal {
  const claim = readClaim(address, networkId);
  if (typeof claim === 'string') return claim;
  const message = readMessage(signature);
  const signer = readMap(hexBytes(key));
  if (!message || !signer) return 'malformed';
  const refusal = headerRefusal(message, signer) ?? identityRefusal(message, signer, claim);
  if (refusal) return refusal;
  if (!isPayload(message.payload, payload)) return 'other_payload';
  return isSignedBy(message, signer) ? { keyHash: claim.keyHash } : 'forged';
}

/** Labels and values of COSE (RFC 8152, CIP-8). */
const label = { algorithm: 1, critical: 2, keyId: 4, address: 'address' } as const;
const keyLabel = { type: 1, keyId: 2, algorithm: 3, curve: -1, publicKey: -2 } as const;
const EDDSA = -8;
const OCTET_KEY_PAIR = 1;
const ED25519 = 6;

interface Claim {
  readonly addressBytes: Uint8Array;
  /** Of the key that has to have signed. */
  readonly keyHash: KeyHash;
}

/** CIP-19 header types whose first credential is a key: base (with a stake key or script), enterprise, stake. */
const keyAddressTypes = [0, 2, 6, 14];

function readClaim(address: string, networkId: NetworkId): Claim | SignatureRefusal {
  const addressBytes = readBech32(address)?.bytes;
  const header = addressBytes?.[0] ?? 0xff;
  if (!addressBytes || !keyAddressTypes.includes(header >> 4)) return 'not_a_key_address';
  if ((header & 0x0f) !== networkId) return 'wrong_network';
  return { addressBytes, keyHash: Buffer.from(addressBytes.subarray(1, 29)).toString('hex') };
}

interface Message {
  /** As it was sent, byte for byte: it is part of what was signed. */
  readonly protectedBytes: Uint8Array;
  readonly protectedHeaders: CborMap;
  readonly unprotectedHeaders: CborMap;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

const Bytes = z.instanceof(Uint8Array);
const Sign1 = z.tuple([Bytes, z.instanceof<typeof Map<Cbor, Cbor>>(Map), Bytes, Bytes]);

function readMessage(hex: string): Message | undefined {
  const sign1 = Sign1.safeParse(readCbor(hexBytes(hex)));
  if (!sign1.success) return undefined;
  const [protectedBytes, unprotectedHeaders, payload, signature] = sign1.data;
  const protectedHeaders = readMap(protectedBytes);
  return protectedHeaders && { protectedBytes, protectedHeaders, unprotectedHeaders, payload, signature };
}

function headerRefusal(
  { protectedHeaders, unprotectedHeaders }: Message,
  signer: CborMap,
): SignatureRefusal | undefined {
  const isEdDsa =
    protectedHeaders.get(label.algorithm) === EDDSA &&
    signer.get(keyLabel.type) === OCTET_KEY_PAIR &&
    signer.get(keyLabel.algorithm) === EDDSA &&
    signer.get(keyLabel.curve) === ED25519;
  if (!isEdDsa) return 'not_eddsa';
  // Headers we do not know may be ignored only when nobody marked them as critical.
  if (protectedHeaders.has(label.critical)) return 'critical_header';
  const signedOnly = [label.algorithm, label.critical, label.keyId, label.address];
  return signedOnly.some((name) => unprotectedHeaders.has(name)) ? 'unsigned_header' : undefined;
}

function identityRefusal(
  { protectedHeaders }: Message,
  signer: CborMap,
  { addressBytes, keyHash }: Claim,
): SignatureRefusal | undefined {
  if (!isSame(protectedHeaders.get(label.address), addressBytes)) return 'other_address';
  const [namedKey, key] = [protectedHeaders.get(label.keyId), signer.get(keyLabel.keyId)];
  if (namedKey !== undefined && key !== undefined && !isSame(namedKey, key)) return 'other_key';
  const publicKey = signer.get(keyLabel.publicKey);
  const isClaimed = publicKey instanceof Uint8Array && Buffer.from(hash224(publicKey)).toString('hex') === keyHash;
  return isClaimed ? undefined : 'other_key';
}

/** Either form counts, whatever the `hashed` header says: hardware wallets hash, and some software in front of them denies it. */
function isPayload(signed: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(text);
  return isSame(signed, bytes) || isSame(signed, hash224(bytes));
}

function isSignedBy({ protectedBytes, payload, signature }: Message, signer: CborMap): boolean {
  const publicKey = signer.get(keyLabel.publicKey);
  if (!(publicKey instanceof Uint8Array) || publicKey.length !== 32 || signature.length !== 64) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, signedStructure(protectedBytes, payload), key, signature);
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

/** No bytes at all for text that is not hex. */
function hexBytes(text: string): Buffer {
  return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}

function hash224(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 28 });
}

function isSame(one: Cbor | undefined, other: Cbor | undefined): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0;
}
