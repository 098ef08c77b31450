import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { KeyHash } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import type { DecodedTransaction } from './decode-transaction.ts';

type Mint = Pick<DecodedTransaction, 'hash' | 'inputs' | 'ttlSlot'>;

/** Mints that a worker has signed, by the key of their vault. Rows cannot change what a process remembers. */
const signed = new WeakMap<Pick<Ledger, 'transactionCbor'>, Map<KeyHash, readonly Mint[]>>();

/**
 * Remembers a mint that is about to be signed. Throws LEDGER_UNAVAILABLE while another one of its vault may still land beside it, which the
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
  const beside = open.find(({ inputs }) => !inputs.some((input) => spent.has(refText(input))));
  if (beside) {
    const reason = `mint ${beside.hash} of the same vault is signed and may still land`;
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason });
  }
  mints.set(policyKeyHash, [...open, mint]);
}
