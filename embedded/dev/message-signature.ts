import type { PrivateKey } from '@emurgo/cardano-serialization-lib-nodejs';
import { withWasm } from '../../src/cardano/wasm.ts';

/** Labels and values of RFC 9052 and RFC 9053 in a wallet's signature. */
const label = { alg: 1, kty: 1, keyAlg: 3, crv: -1, x: -2 };
const EDDSA = -8;
const OKP = 1;
const ED25519 = 6;

/** A signed message as CIP-30 signData returns it (CIP-8): COSE_Sign1 over the payload, and the COSE_Key; all in hex. */
export function messageSignature(
  key: PrivateKey,
  addressHex: string,
  payloadHex: string,
): { signature: string; key: string } {
  const payload = bytes(Buffer.from(payloadHex, 'hex'));
  const protectedHeader = bytes(
    map([
      [integer(label.alg), integer(EDDSA)],
      [text('address'), bytes(Buffer.from(addressHex, 'hex'))],
    ]),
  );
  const toBeSigned = list([text('Signature1'), protectedHeader, bytes(Buffer.alloc(0)), payload]);
  const signed = withWasm(key.sign(toBeSigned), (signature) => signature.to_bytes());
  const publicKey = withWasm(key.to_public(), (known) => known.as_bytes());
  const unprotected = map([[text('hashed'), FALSE]]);
  const coseKey = map([
    [integer(label.kty), integer(OKP)],
    [integer(label.keyAlg), integer(EDDSA)],
    [integer(label.crv), integer(ED25519)],
    [integer(label.x), bytes(publicKey)],
  ]);
  return {
    signature: list([protectedHeader, unprotected, payload, bytes(signed)]).toString('hex'),
    key: coseKey.toString('hex'),
  };
}

// The few CBOR encodings (RFC 8949) that a signature needs.

const FALSE = Buffer.of(0xf4);

function head(major: number, size: number): Buffer {
  const type = major << 5;
  if (size < 24) return Buffer.of(type | size);
  if (size < 0x100) return Buffer.of(type | 24, size);
  if (size < 0x1_0000) return Buffer.of(type | 25, size >> 8, size & 0xff);
  const long = Buffer.alloc(5, type | 26);
  long.writeUInt32BE(size, 1);
  return long;
}

function integer(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}

function text(value: string): Buffer {
  const encoded = Buffer.from(value);
  return Buffer.concat([head(3, encoded.length), encoded]);
}

function list(items: readonly Buffer[]): Buffer {
  return Buffer.concat([head(4, items.length), ...items]);
}

function map(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}
