import type { VaultAddressKind } from '../../domain/vault/vault-address.ts';
import type { StoredUtxo } from '../stored-utxo.ts';
import type { Amount, Json, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

export interface UnsolicitedOutputsTable {
  tx_hash: string;
  output_index: number;
  vault_id: string;
  place: VaultAddressKind;
  depositor: string | null;
  address: string;
  lovelace: Amount;
  /** Quantity as text by unit. */
  assets: Json<StoredUtxo['assets']>;
  seen_at: Timestamp;
  /** When it was first missing from the unspent outputs of the ledger; null while it is unspent. */
  gone_at: NullableTimestamp;
  /** Migration 0053: the transaction that spent it while it was not returned by the platform; null where it is not known. */
  gone_hash: NullableText;
  return_transaction_id: NullableText;
  /** Set while the transaction that returns it is on the ledger. */
  returned_at: NullableTimestamp;
}

/** The tables of migration 0011. */
export interface UnsolicitedTables {
  unsolicited_outputs: UnsolicitedOutputsTable;
}
