import type { CborMap } from '../chain/cbor/read-cbor.ts';
import { scriptHash } from '../chain/scripts/native-script.ts';
import { policyScript } from '../chain/scripts/vault-scripts.ts';
import { creationLabel } from '../chain/tokens/vault-nft.ts';
import type { KeyHash } from '../chain/transaction.ts';
import { policyOf } from '../domain/asset/unit.ts';
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
