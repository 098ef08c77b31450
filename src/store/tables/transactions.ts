import type { ColumnType, Generated } from 'kysely';
import type { Cosigners } from '../../domain/transaction/signatures.ts';
import type { InputConflict } from '../../domain/transaction/input-conflict.ts';
import type { TransactionKind, TransactionState } from '../../domain/transaction/transaction-state.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { StoredUtxo } from '../stored-utxo.ts';
import type {
  Amount,
  Json,
  NullableAmount,
  NullableJson,
  NullableText,
  NullableTimestamp,
  Timestamp,
} from './columns.ts';

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
  /** Migration 0005. */
  platform_signers: Generated<string[]>;
  /** Migration 0043: the keys of `required_signers` of which not all have to sign. */
  cosigners: NullableJson<Cosigners>;
  fee: Amount;
  ttl_slot: Amount;
  expires_at: Timestamp;
  state: TransactionState;
  error: string | null;
  /** Migration 0042. */
  refusal: NullableText;
  /** Migration 0057. */
  conflict: NullableJson<InputConflict>;
  block_height: NullableAmount;
  block_hash: NullableText;
  submitted_at: NullableTimestamp;
  /** Migration 0016. */
  sent_at: NullableTimestamp;
  /** Migration 0038. */
  expiry_failed_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Migration 0098, by a trigger: whether everybody may see its vault, or it has none; null in older rows that are not filled in yet. */
  shown: Generated<boolean | null>;
}

export interface ChainTransactionHistoryTable {
  transaction_id: string;
  position: number;
  state: TransactionState;
  at: Timestamp;
  block_height: NullableAmount;
  /** Migration 0057: null in older rows. */
  block_hash: NullableText;
  reason: string | null;
}

export interface UtxoLeasesTable {
  tx_hash: string;
  output_index: number;
  /** The open transaction that spends it; null when a lane of anchors holds it. */
  transaction_id: string | null;
  lane_id: NullableText;
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
