import { z } from 'zod';
import { type Cbor, type CborMap, readCbor, writeByteString } from '../cbor/read-cbor.ts';
import { hexBytes } from '../cbor/hex.ts';
import { isEd25519Signature } from './ed25519.ts';

/** Header labels of a COSE message (RFC 8152, CIP-8). */
export const headerLabel = { algorithm: 1, critical: 2, keyId: 4, address: 'address' } as const;
/** Labels of a COSE_Key. */
export const keyLabel = { type: 1, keyId: 2, algorithm: 3, curve: -1, publicKey: -2 } as const;

const EDDSA = -8;
const OCTET_KEY_PAIR = 1;
const ED25519 = 6;

/** A COSE_Sign1 message. */
export interface CoseSign1 {
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
export function readSign1(hex: string): CoseSign1 | undefined {
  const sign1 = Sign1.safeParse(readCbor(hexBytes(hex)));
  if (!sign1.success) return undefined;
  const [protectedBytes, unprotectedHeaders, payload, signature] = sign1.data;
  const protectedHeaders = readMap(protectedBytes);
  return protectedHeaders && { protectedBytes, protectedHeaders, unprotectedHeaders, payload, signature };
}

/** Reads a COSE_Key from CBOR hex; undefined for what is not a map. */
export function readKey(hex: string): CborMap | undefined {
  return readMap(hexBytes(hex));
}

/** Whether message and key both use EdDSA over Ed25519, the only algorithm of CIP-8. */
export function usesEdDsa({ protectedHeaders }: CoseSign1, key: CborMap): boolean {
  return (
    protectedHeaders.get(headerLabel.algorithm) === EDDSA &&
    key.get(keyLabel.type) === OCTET_KEY_PAIR &&
    key.get(keyLabel.algorithm) === EDDSA &&
    key.get(keyLabel.curve) === ED25519
  );
}

/** Whether this key signed the message. */
export function isSignedBy({ protectedBytes, payload, signature }: CoseSign1, key: CborMap): boolean {
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
