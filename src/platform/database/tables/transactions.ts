import type { ColumnType, Generated } from 'kysely';
import type { Cosigners } from '../../../transactions/rules/signatures.ts';
import type { InputConflict } from '../../../transactions/rules/input-conflict.ts';
import type { TransactionKind, TransactionState } from '../../../transactions/rules/transaction-state.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { StoredUtxo } from '../../../transactions/queries/stored-utxo.ts';
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

export interface ChainTransactionHistoryTable {
  transaction_id: string;
  position: number;
  state: TransactionState;
  at: Timestamp;
  block_height: NullableAmount;
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
