import { blake2b224 } from '../blake2b.ts';
import type { Cbor, CborMap } from '../cbor/read-cbor.ts';
import { readBech32 } from '../scripts/address.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import { type CoseSign1, headerLabel, isSignedBy, keyLabel, readKey, readSign1, usesEdDsa } from './cose-sign1.ts';
import { keyHashOf } from './key-hash.ts';

/** The signature that a wallet returned from CIP-30 `signData(address, payload)`, with the arguments of that call. */
export interface DataSignature {
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
