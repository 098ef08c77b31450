import { FixedTransaction, PublicKey, Vkeywitness } from '@emurgo/cardano-serialization-lib-nodejs';
import { transactionHash } from '../build/draft.ts';
import { isEd25519Signature } from './ed25519.ts';
import type { SigningKey } from './keys.ts';
import type { KeyHash } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

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
        withWasm(vkeyWitness(witness), (added) => {
          fixed.add_vkey_witness(added);
        });
      return fixed.to_hex();
    }),
  );
}

/** A transaction signed with the given keys. */
export function signTransaction(cbor: string, keys: readonly SigningKey[]): string {
  return mergeWitnesses(cbor, witnessesOf(cbor, keys));
}

/** The witnesses of these keys for a transaction. */
export function witnessesOf(cbor: string, keys: readonly SigningKey[]): Witness[] {
  const hash = transactionHash(cbor);
  return keys.map(({ keyHash, publicKey, sign }) => ({ keyHash, publicKey, signature: sign(hash) }));
}

/** Whether this key signed the transaction with this hash. */
export function isSignatureOf({ publicKey, signature }: Witness, hash: string): boolean {
  return isEd25519Signature({
    publicKey: Buffer.from(publicKey, 'hex'),
    message: Buffer.from(hash, 'hex'),
    signature: Buffer.from(signature, 'hex'),
  });
}

function vkeyWitness(witness: Witness): Vkeywitness {
  return Vkeywitness.from_json(JSON.stringify(cslWitness(witness)));
}

/** A witness in the JSON form that the serialization library reads. */
export function cslWitness({ publicKey, signature }: Witness): { vkey: string; signature: string } {
  return { vkey: withWasm(PublicKey.from_hex(publicKey), (key) => key.to_bech32()), signature };
}
