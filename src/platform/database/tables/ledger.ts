import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { StoredUtxo } from '../stored-json.ts';
import type {
  Amount,
  Json,
  NullableAmount,
  NullableJson,
  NullableText,
  NullableTimestamp,
  Timestamp,
} from './platform.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { Cosigners, InputConflict, TransactionKind, TransactionState } from '../../../transactions/rules.ts';
import type { VaultAddressKind } from '../../../vaults/rules/vault.ts';

export interface ChainTransactionsTable {
  id: string;
  kind: TransactionKind;
  vault_id: string | null;
  owner_workflow: WorkflowId;
  signer: 'wallet' | 'platform';
  wallet: string | null;
  hash: string;
  unsigned_cbor: string;
  signed_cbor: NullableText;
  witnesses: ColumnType<StoredWitness[], string | undefined, string>;
  inputs: Json<StoredUtxo[]>;
  outputs: Json<StoredUtxo[]>;
  /** Every key that is asked to sign. */
  required_signers: string[];
  platform_signers: Generated<string[]>;
  /** The keys of `required_signers` of which not all have to sign. */
  cosigners: NullableJson<Cosigners>;
  fee: Amount;
  ttl_slot: Amount;
  expires_at: Timestamp;
  state: TransactionState;
  error: string | null;
  refusal: NullableText;
  conflict: NullableJson<InputConflict>;
  block_height: NullableAmount;
  block_hash: NullableText;
  submitted_at: NullableTimestamp;
  sent_at: NullableTimestamp;
  expiry_failed_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Whether everybody may see its vault, or it has none; a trigger writes it. */
  shown: Generated<boolean>;
}

interface ChainTransactionHistoryTable {
  transaction_id: string;
  position: number;
  state: TransactionState;
  at: Timestamp;
  block_height: NullableAmount;
  block_hash: NullableText;
  reason: string | null;
}

interface UtxoLeasesTable {
  tx_hash: string;
  output_index: number;
  /** The open transaction that spends it; null when an anchor chain of anchors holds it. */
  transaction_id: string | null;
  anchor_chain_id: NullableText;
}

export interface BlocksTable {
  height: Amount;
  hash: string;
  slot: Amount;
  made_at: Timestamp;
}

/** A witness whose signature was checked against the transaction's hash; all in hex. */
export interface StoredWitness {
  keyHash: string;
  publicKey: string;
  signature: string;
}

export interface TransactionTables {
  chain_transactions: ChainTransactionsTable;
  chain_transaction_history: ChainTransactionHistoryTable;
  utxo_leases: UtxoLeasesTable;
  blocks: BlocksTable;
}

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

interface WatchedAddressesTable {
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
interface AddressScanTable {
  id: boolean;
  /** The addresses of all transactions up to this time are watched. */
  watched_until: NullableTimestamp;
  /** The last followed block whose addresses were read. */
  read_height: NullableAmount;
  /** A pass over all vaults continues after this one, in the present scan up to `pass_until`; null for the first and the last vault. */
  pass_after: NullableText;
  pass_until: NullableText;
}

export interface UnsolicitedTables {
  watched_addresses: WatchedAddressesTable;
  address_scan: AddressScanTable;
  unsolicited_outputs: UnsolicitedOutputsTable;
}

export interface QuarantineTables {
  quarantine: {
    id: GeneratedAlways<string>;
    transaction_id: string;
    from_state: TransactionState;
    to_state: TransactionState;
    is_rollback: boolean;
    block_height: NullableAmount;
    error: string;
    attempts: number;
    at: Timestamp;
    attempted_at: Timestamp;
  };
}

export interface AnchorChainsTable {
  id: string;
  /** The process that may put batches into the anchor chain; null when the anchor chain is free. */
  holder: string | null;
  held_until: Timestamp;
  /** The output that the next anchor spends. */
  tip: Json<StoredUtxo>;
  /** The day (UTC, real time) of `spent`; null before the first. */
  spent_on: ColumnType<string | null, never, string>;
  /** What its anchors have cost on that day, in lovelace. */
  spent: ColumnType<string, never, string>;
}

interface AnchorBatchesTable {
  id: string;
  anchor_chain_id: string;
  /** Orders the batches of an anchor chain. */
  number: Generated<string>;
  /** The transaction that carries it at present. */
  transaction_id: string;
  root: string;
  facts: number;
  /** Whether its transaction is in a block. */
  confirmed: Generated<boolean>;
}

/** Every transaction that was built to carry a batch. */
interface AnchorAttemptsTable {
  transaction_id: string;
  batch_id: string;
}

interface AnchorFactsTable {
  id: string;
  batch_id: string;
  position: number;
  vault_id: string | null;
  /** The canonical text. */
  fact: string;
  /** Hex. */
  leaf: string;
}

export interface AnchorTables {
  anchor_chains: AnchorChainsTable;
  anchor_batches: AnchorBatchesTable;
  anchor_attempts: AnchorAttemptsTable;
  anchor_facts: AnchorFactsTable;
}
