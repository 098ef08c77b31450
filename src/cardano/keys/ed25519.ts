import { createPublicKey, verify } from 'node:crypto';

/** Whether the owner of a public key (32 bytes) signed a message (RFC 8032); false for bytes that are no key or no signature. */
export function isEd25519Signature({
  publicKey,
  message,
  signature,
}: {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}
