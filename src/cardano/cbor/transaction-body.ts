import { blake2b256 } from '../blake2b.ts';
import type { KeyHash } from '../transaction.ts';
import { CborError } from './fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree, setItems } from './item-tree.ts';

const REQUIRED_SIGNERS = 14;
/** The last key of a transaction body in the Conway ledger's CDDL. */
const LAST_KEY = 22;

/**
 * The id of a transaction (CBOR hex), and the signers that its body names; undefined for anything else. Our own code, because the
 * serialization library traps at some bytes (design D49).
 */
export function readTransactionBody(
  hex: string,
): { readonly hash: string; readonly requiredSigners: readonly KeyHash[] } | undefined {
  try {
    const transaction = readCborTree(hex);
    const [body] = transaction.items;
    if (transaction.major !== 4 || transaction.items.length !== 4 || !body) return undefined;
    const signers = numberedFields(body, LAST_KEY).get(REQUIRED_SIGNERS);
    return {
      hash: hashOfBody(body),
      requiredSigners: signers ? setItems(signers).map((signer) => byteStringHex(signer, 28)) : [],
    };
  } catch (error) {
    if (error instanceof CborError) return undefined;
    throw error;
  }
}

/** The id of the transaction with this body. */
export function hashOfBody({ encoded }: CborTree): string {
  return Buffer.from(blake2b256(encoded)).toString('hex');
}
