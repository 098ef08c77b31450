import { Bip32PrivateKey, type PrivateKey } from '@emurgo/cardano-serialization-lib-nodejs';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { createHmac, hkdfSync, createPublicKey, verify } from 'node:crypto';
import { blake2b224 } from '../blake2b.ts';
import { keyAddress } from '../scripts/address.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

/** A key of the platform. Only the worker has them (design D19). */
export interface SigningKey {
  readonly keyHash: KeyHash;
  /** Public key in hex. */
  readonly publicKey: string;
  /** Ed25519 signature of a transaction hash, both in hex. */
  readonly sign: (hash: string) => string;
}

export interface Keys {
  readonly operator: SigningKey & { readonly address: string };
  /** Custody key of a vault, by its chain index. */
  vaultKey(index: number): SigningKey;
  /** Key of a vault's minting policy, by its chain index. */
  policyKey(index: number): SigningKey;
  /** What only the platform can compute of a text, in hex: a row that has it says what a worker has written. */
  seal(text: string): string;
}

/**
 * Derives every platform key from one root: operator CIP-1852, custody CIP-1854, policies CIP-1855, and by HKDF (RFC 5869) the one that
 * seals, for each network another.
 */
export function deriveKeys(mnemonic: string, networkId: NetworkId): Keys {
  const entropy = mnemonicToEntropy(mnemonic, wordlist);
  const root = toErrors(() =>
    withWasm(Bip32PrivateKey.from_bip39_entropy(entropy, new Uint8Array()), (key) => key.to_bech32()),
  );
  const operator = signingKey(root, [hard(1852), hard(1815), hard(0), 0, 0]);
  const custody = derive(root, [hard(1854), hard(1815), hard(0), 0]);
  const policies = derive(root, [hard(1855), hard(1815)]);
  const sealing = Buffer.from(hkdfSync('sha256', entropy, '', `vault tokenization seals, network ${networkId}`, 32));
  return {
    operator: { ...operator, address: keyAddress(operator.keyHash, networkId) },
    vaultKey: (index) => signingKey(custody, [index]),
    policyKey: (index) => signingKey(policies, [hard(index)]),
    seal: (text) => createHmac('sha256', sealing).update(text).digest('hex'),
  };
}

function hard(index: number): number {
  return index + 0x8000_0000;
}

function signingKey(parent: string, path: readonly number[]): SigningKey {
  const secret = derive(parent, path);
  const withKey = <Result>(use: (key: PrivateKey) => Result) =>
    withWasm(Bip32PrivateKey.from_bech32(secret), (key) => withWasm(key.to_raw_key(), use));
  return toErrors(() =>
    withKey((key) =>
      withWasm(key.to_public(), (publicKey) => ({
        keyHash: withWasm(publicKey.hash(), (hash) => hash.to_hex()),
        publicKey: publicKey.to_hex(),
        sign: (hash: string) =>
          toErrors(() =>
            withKey((secretKey) => withWasm(secretKey.sign(Buffer.from(hash, 'hex')), (signed) => signed.to_hex())),
          ),
      })),
    ),
  );
}

function derive(from: string, path: readonly number[]): string {
  const step = (parent: string, index: number) =>
    withWasm(Bip32PrivateKey.from_bech32(parent), (key) => withWasm(key.derive(index), (child) => child.to_bech32()));
  return toErrors(() => path.reduce(step, from));
}

/** The hash of an Ed25519 public key by which addresses and scripts name it. */
export function keyHashOf(publicKey: Uint8Array): KeyHash {
  return Buffer.from(blake2b224(publicKey)).toString('hex');
}

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
