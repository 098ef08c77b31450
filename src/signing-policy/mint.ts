import { policyOf } from '../assets/rules/asset.ts';
import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { policyScript } from '../cardano/scripts/vault-scripts.ts';
import { creationLabel } from '../cardano/tokens/vault-nft.ts';
import type { KeyHash } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors.ts';
import type { DecodedTransaction } from './decoder.ts';
import type { ConfirmedCreation } from './evidence.ts';
import { assertAllowed, soleMetadata } from './policy.ts';
import { refText } from '../transactions/rules.ts';

type Mint = Pick<DecodedTransaction, 'hash' | 'inputs' | 'ttlSlot'>;

/** Mints that a worker has signed, by the key of their vault. Rows cannot change what a process remembers. */
const signed = new WeakMap<Pick<Ledger, 'transactionCbor'>, Map<KeyHash, readonly Mint[]>>();

/**
 * Remembers a mint that is about to be signed. Throws LEDGER_UNAVAILABLE while another one of its vault may still be confirmed as well, which the
 * ledger does not show yet: one that spends a common output cannot.
 */
export function requireSoleMint(
  ledger: Pick<Ledger, 'transactionCbor'>,
  { policyKeyHash, slot, mint }: { readonly policyKeyHash: KeyHash; readonly slot: number; readonly mint: Mint },
): void {
  const mints = signed.get(ledger) ?? new Map<KeyHash, readonly Mint[]>();
  signed.set(ledger, mints);
  const open = (mints.get(policyKeyHash) ?? []).filter(
    ({ ttlSlot, hash }) => slot <= (ttlSlot ?? Infinity) && hash !== mint.hash,
  );
  const spent = new Set(mint.inputs.map(refText));
  const rival = open.find(({ inputs }) => !inputs.some((input) => spent.has(refText(input))));
  if (rival) {
    const reason = `mint ${rival.hash} of the same vault is signed and may still land`;
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason });
  }
  mints.set(policyKeyHash, [...open, mint]);
}

/** What a transaction under the policy key of a vault says of the vault that it has created. */
export function creationOf(transaction: DecodedTransaction, policyKeyHash: KeyHash): ConfirmedCreation {
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

/** What a mint commits to in its metadata, and nothing else; null for other metadata. */
export function committedPlanOf(
  mint: Pick<DecodedTransaction, 'metadata'>,
): Readonly<Record<'terms' | 'root' | 'shares', unknown>> | null {
  const plan = soleMetadata(mint, 868_485);
  return plan?.get('v') === 1 ? { terms: plan.get('terms'), root: plan.get('root'), shares: plan.get('shares') } : null;
}

/** As `committedPlanOf`. Throws TRANSACTION_NOT_JUSTIFIED for a mint that commits to nothing: rows alone say nothing of who gets what. */
export function requireCommittedPlan(mint: Pick<DecodedTransaction, 'metadata'>) {
  const committed = committedPlanOf(mint);
  assertAllowed(committed !== null, 'the mint of its vault has committed to nothing');
  return committed;
}
