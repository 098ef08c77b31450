import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { policyScript } from '../cardano/scripts/vault-scripts.ts';
import { creationLabel } from '../cardano/tokens/vault-nft.ts';
import type { KeyHash } from '../cardano/transaction.ts';
import { policyOf } from '../assets/rules/unit.ts';
import type { DecodedTransaction } from './decode-transaction.ts';
import type { LandedCreation } from './evidence.ts';

/** What a transaction under the policy key of a vault says of the vault that it has created. */
export function creationOf(transaction: DecodedTransaction, policyKeyHash: KeyHash): LandedCreation {
  const { outputs, ttlSlot } = transaction;
  const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: ttlSlot ?? 0 }));
  const paid = outputs.find(({ assets }) => [...assets.keys()].some((unit) => policyOf(unit) === policyId));
  return { custody: paid?.address ?? null, terms: termsIn(transaction, policyKeyHash) };
}

/** The terms to which a creation commits; null for one that commits to none. */
export function termsIn({ metadata }: Pick<DecodedTransaction, 'metadata'>, policyKeyHash: KeyHash): unknown {
  const committed = metadata?.get(creationLabel(policyKeyHash));
  return committed instanceof Map ? ((committed as CborMap).get('terms') ?? null) : null;
}
