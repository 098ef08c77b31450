import type { VaultAddressKind } from '../../../vaults/rules/vault-address.ts';
import type { StoredUtxo } from '../../../transactions/queries/stored-utxo.ts';
import type { ColumnType } from 'kysely';
import type { Amount, Json, NullableAmount, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

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
  /** The transaction that spent it while it was not returned by the platform; null where it is not known. */
  gone_hash: NullableText;
  return_transaction_id: NullableText;
  /** Set while the transaction that returns it is on the ledger. */
  returned_at: NullableTimestamp;
}

export interface WatchedAddressesTable {
  address: string;
  vault_id: string;
  place: VaultAddressKind;
  depositor: string | null;
  /** The highest block that has touched it, or after which the ledger was asked for it. */
  seen_height: NullableAmount;
  /** Whether the ledger is to be asked for it. */
  is_due: ColumnType<boolean, boolean | undefined, boolean>;
}

/** How far the scan of addresses is: one row. */
export interface AddressScanTable {
  id: boolean;
  /** The addresses of all transactions up to this time are watched. */
  watched_until: NullableTimestamp;
  /** The last followed block whose addresses were read. */
  read_height: NullableAmount;
  /** A pass over all vaults goes on after this one, in the present scan up to `pass_until`; null for the first and the last vault. */
  pass_after: NullableText;
  pass_until: NullableText;
}

export interface UnsolicitedTables {
  watched_addresses: WatchedAddressesTable;
  address_scan: AddressScanTable;
  unsolicited_outputs: UnsolicitedOutputsTable;
}
