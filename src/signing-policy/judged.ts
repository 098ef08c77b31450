import type { KeyHash, NetworkId, Utxo } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { DecodedTransaction } from './decode-transaction.ts';

/** A transaction that the platform is asked to sign, with what does not come from its row. */
export interface Judged {
  readonly transaction: DecodedTransaction;
  /** Every input, with what the transaction that made it gave it. */
  readonly spent: readonly Utxo[];
  /** The addresses that each transaction pays which made an input, by its hash. */
  readonly paidBy: ReadonlyMap<string, readonly string[]>;
  /** The keys whose valid signatures of it the platform has. */
  readonly signedBy: ReadonlySet<KeyHash>;
  /** The slot in which it is signed. */
  readonly slot: number;
  /** The operator's address. */
  readonly operator: string;
  readonly networkId: NetworkId;
  /** More lovelace than the min-ADA of an output with one asset, and of any output. */
  readonly minAda: { readonly ofToken: bigint; readonly ofAny: bigint };
  readonly coinsPerUtxoByte: bigint;
}

/** Throws TRANSACTION_NOT_JUSTIFIED with the reason unless `holds`. */
export function requireJust(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ServiceError('TRANSACTION_NOT_JUSTIFIED', { reason });
}
