import { readPaymentKeyHash } from '../cardano/scripts/address.ts';
import type { KeyHash } from '../cardano/transaction.ts';

/**
 * Among the addresses that the transaction of a deposit pays, those of its owner's key: the script of the deposit names the key alone, which
 * goes with any stake key, but the change went where the owner meant. None where there was no change, and of what others have sent.
 */
export function shownAddresses(paid: readonly string[] | undefined, owner: KeyHash | undefined): string[] {
  if (owner === undefined) return [];
  return [...new Set(paid)].filter((address) => readPaymentKeyHash(address) === owner).sort();
}
