import { type Selectable, sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import type { Signer } from '../../executions/rules/cosigners.ts';
import { ledgerTip } from '../../ledger-follower/queries/blocks.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { jsonInstant, type JsonTime, readStoredUtxo } from '../../platform/database/stored-json.ts';
import type { ChainTransactionsTable, StoredWitness } from '../../platform/database/tables/ledger.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { WorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { InputConflict, SignatureRule, TransactionKind, TransactionState, LedgerTip } from '../rules.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/viewed-vaults.ts';
import type { VaultStatus } from '../../vaults/rules/vault.ts';

/** What every row says, also one that cannot be read as a whole. */
export interface TransactionHead {
  readonly id: string;
  readonly kind: TransactionKind;
  readonly vaultId: string | null;
  readonly ownerWorkflow: WorkflowId;
  readonly wallet: string | null;
  readonly hash: string;
  readonly state: TransactionState;
  readonly blockHeight: number | null;
  readonly blockHash: string | null;
}

/** With its signature rule: who signs, a wallet (posted as witnesses) or the platform (the worker). */
export interface ChainTransaction extends TransactionHead, SignatureRule {
  readonly unsignedCbor: string;
  readonly signedCbor: string | null;
  readonly witnesses: readonly StoredWitness[];
  readonly inputs: readonly Utxo[];
  readonly outputs: readonly Utxo[];
  readonly fee: Lovelace;
  readonly ttlSlot: number;
  readonly expiresAt: Instant;
  readonly error: string | null;
  /** Why the ledger refused it, while it may still be confirmed; kept when it expires. */
  readonly refusal: string | null;
  /** Why it can never be confirmed, where another transaction has spent one of its inputs. */
  readonly conflict: InputConflict | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export async function findTransaction(db: Db | Transaction, transactionId: string): Promise<ChainTransaction | null> {
  const row = await db.selectFrom('chain_transactions').selectAll().where('id', '=', transactionId).executeTakeFirst();
  return row ? readTransaction(row) : null;
}

export async function transactionsById(
  db: Db | Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChainTransaction>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('chain_transactions').selectAll().where('id', '=', anyOf(ids)).execute();
  return new Map(rows.map((row) => [row.id, readTransaction(row)]));
}

export async function vaultsOfTransactions(
  db: Db | Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['id', 'vault_id'])
    .where('id', '=', anyOf(ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row.vault_id]));
}

export async function transactionOutputs(
  db: Db | Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Utxo[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['id', 'outputs'])
    .where('id', '=', anyOf(ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row.outputs.map(readStoredUtxo)]));
}

/** As `findTransaction`, and locks the row until the transaction ends. */
export async function lockTransaction(tx: Transaction, transactionId: string): Promise<ChainTransaction | null> {
  const row = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('id', '=', transactionId)
    .forUpdate()
    .executeTakeFirst();
  return row ? readTransaction(row) : null;
}

/** As `lockTransaction` for several, in the order of their ids, as everybody who locks several. */
export async function lockTransactions(tx: Transaction, ids: readonly string[]): Promise<ChainTransaction[]> {
  const query = tx.selectFrom('chain_transactions').selectAll().where('id', '=', anyOf(ids)).orderBy('id');
  return (await query.forUpdate().execute()).map(readTransaction);
}

export async function findTransactionByHash(db: Db | Transaction, hash: string): Promise<ChainTransaction | null> {
  const row = await db.selectFrom('chain_transactions').selectAll().where('hash', '=', hash).executeTakeFirst();
  return row ? readTransaction(row) : null;
}

/** Whether a transaction of this kind may still reach the ledger. */
export async function isKindUnderWay(tx: Transaction, kind: TransactionKind): Promise<boolean> {
  const query = tx.selectFrom('chain_transactions').select('id').where('kind', '=', kind);
  return (await query.where('state', 'in', ['pending', 'submitted']).limit(1).executeTakeFirst()) !== undefined;
}

export type TransactionRow = Selectable<ChainTransactionsTable>;

export function readTransaction(row: TransactionRow): ChainTransaction {
  return decodeRow('chain_transactions', row.id, () => ({
    ...headOf(row),
    signer: row.signer,
    unsignedCbor: row.unsigned_cbor,
    signedCbor: row.signed_cbor,
    witnesses: row.witnesses,
    inputs: row.inputs.map(readStoredUtxo),
    outputs: row.outputs.map(readStoredUtxo),
    requiredSigners: row.required_signers.filter((keyHash) => !row.cosigners?.keyHashes.includes(keyHash)),
    platformSigners: row.platform_signers,
    cosigners: row.cosigners,
    fee: lovelace(BigInt(row.fee)),
    ttlSlot: Number(row.ttl_slot),
    expiresAt: instant(row.expires_at),
    error: row.error,
    refusal: row.refusal,
    conflict: row.conflict,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  }));
}

export function headOf(row: TransactionRow): TransactionHead {
  return {
    id: row.id,
    kind: row.kind,
    vaultId: row.vault_id,
    ownerWorkflow: row.owner_workflow,
    wallet: row.wallet,
    hash: row.hash,
    state: row.state,
    blockHeight: row.block_height === null ? null : Number(row.block_height),
    blockHash: row.block_hash,
  };
}

/** The hashes of the newest other transactions that this key is asked to sign. */
export async function otherHashesAwaiting(
  db: Db | Transaction,
  keyHash: string,
  { id }: Pick<ChainTransaction, 'id'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .select('hash')
    .where('signer', '=', 'wallet')
    .where('required_signers', '@>', sql<string[]>`array[${keyHash}]`)
    .where('id', '!=', id)
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute();
  return rows.map(({ hash }) => hash);
}

/** Whether it is the output that a stake or an investment is. */
export const isFirstOutput = ({ index }: Pick<Utxo, 'index'>): boolean => index === 0;

/** The ids of the transactions that made these inputs, as a subquery. */
export function makersOf(db: Db, inputs: ChainTransaction['inputs']) {
  const hashes = [...new Set(inputs.map(({ txHash }) => txHash))];
  return db.selectFrom('chain_transactions').select('id').where('hash', '=', anyOf(hashes));
}

/** The unsigned bytes (CBOR hex) of the recorded ones among these transactions. */
export async function recordedBytes(db: Db, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const query = db.selectFrom('chain_transactions').select('unsigned_cbor').where('hash', '=', anyOf(hashes));
  return (await query.execute()).map((row) => row.unsigned_cbor);
}

/** A transaction with what other tables say about it. */
export interface TransactionRecord {
  readonly transaction: ChainTransaction;
  readonly tip: LedgerTip | null;
  /** Every change of state, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Hash of the anchor that carries its facts now; null unless it is an anchor that was replaced. */
  readonly replacedBy: string | null;
  /** Whom the execution names that it carries; null when it carries none. */
  readonly execution: NamedSigners | null;
  /** Whether the reader may see its vault, also a deleted one; false when it belongs to none. */
  readonly isVaultVisible: boolean;
}

interface NamedSigners {
  readonly cosigners: readonly Signer[];
  readonly partner: Signer | null;
}

/** A transaction by its hash, for a reader who sees the vaults of a scope that have one of the statuses; null when there is none. */
export async function findTransactionRecord(
  db: Db | Transaction,
  hash: string,
  { scope, statuses }: { readonly scope: ReaderScope; readonly statuses: readonly VaultStatus[] },
): Promise<TransactionRecord | null> {
  const row = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .select([
      ledgerTip.as('tip'),
      sql<(Omit<HistoryEntry, 'at'> & { readonly at: JsonTime })[]>`(select coalesce(json_agg(json_build_object(
        'state', state, 'at', at, 'blockHeight', block_height, 'blockHash', block_hash, 'reason', reason) order by position), '[]')
        from chain_transaction_history where transaction_id = chain_transactions.id)`.as('history'),
      sql<string | null>`(select carrier.hash from anchor_attempts attempt
        join anchor_batches batch on batch.id = attempt.batch_id
        join chain_transactions carrier on carrier.id = batch.transaction_id
        where attempt.transaction_id = chain_transactions.id and carrier.id <> chain_transactions.id)`.as(
        'replaced_by',
      ),
      sql<NamedSigners | null>`(select json_build_object('cosigners', executions.cosigners, 'partner', partner)
        from executions where transaction_id = chain_transactions.id)`.as('execution'),
      sql<boolean>`exists (select from vaults where vaults.id = chain_transactions.vault_id
        and vaults.status = any(${statuses}) and ${visibleTo(scope)})`.as('is_vault_visible'),
    ])
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (!row) return null;
  return {
    transaction: readTransaction(row),
    tip: row.tip,
    history: row.history.map((entry) => ({ ...entry, at: jsonInstant(entry.at) })),
    replacedBy: row.replaced_by,
    execution: row.execution,
    isVaultVisible: row.is_vault_visible,
  };
}

interface HistoryEntry {
  readonly state: TransactionState;
  readonly at: Instant;
  readonly blockHeight: number | null;
  /** Null while it is in no block. */
  readonly blockHash: string | null;
  readonly reason: string | null;
}

/** When a transaction was final for the first time: it may have been rolled back and become final again. */
export async function firstFinalAt(tx: Transaction, { id }: { readonly id: string }): Promise<Instant> {
  const { at } = await tx
    .selectFrom('chain_transaction_history')
    .select('at')
    .where('transaction_id', '=', id)
    .where('state', '=', 'final')
    .orderBy('position')
    .limit(1)
    .executeTakeFirstOrThrow();
  return instant(at);
}

interface StateChange {
  readonly block?: { readonly height: number; readonly hash: string } | null;
  readonly reason?: string;
}

/** The statement that records a change of state; `block` as far as the change is also one of the block. */
export function historyInsert(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  { id, blockHeight, blockHash }: Pick<TransactionHead, 'id' | 'blockHeight' | 'blockHash'>,
  state: TransactionState,
  { block, reason }: StateChange = {},
) {
  // A transaction that becomes final keeps its block.
  const [height, hash] = block === undefined ? [blockHeight, blockHash] : [block?.height ?? null, block?.hash ?? null];
  const position = tx
    .selectFrom('chain_transaction_history')
    .select(sql<number>`count(*)::int`.as('position'))
    .where('transaction_id', '=', id);
  return tx.insertInto('chain_transaction_history').values({
    transaction_id: id,
    position,
    state,
    at: new Date(now),
    block_height: height === null ? null : BigInt(height),
    block_hash: hash,
    reason: reason ?? null,
  });
}
