import { sql } from 'kysely';
import type { BuiltTransaction, Utxo } from '../../cardano/transaction.ts';
import type { Cosigners } from '../rules/signatures.ts';
import type { TransactionState } from '../rules/transaction-state.ts';
import type { ChainTransaction } from './chain-transactions.ts';
import { storedUtxo } from './stored-utxo.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { sqlStateOf } from '../../platform/database/sqlstate.ts';
import { historyInsert } from './transaction-history.ts';
import { leasesInsert, releaseLaneLeases } from './utxo-leases.ts';

export type NewChainTransaction = Pick<
  ChainTransaction,
  'id' | 'kind' | 'vaultId' | 'ownerWorkflow' | 'signer' | 'wallet' | 'expiresAt'
> & {
  built: BuiltTransaction;
  /** None unless given. */
  platformSigners?: readonly string[];
  /** Those keys of `built` of which not all have to sign; none unless given. */
  cosigners?: Cosigners | null;
  /** Which inputs are leased only when it is signed: naming outputs of others must not block them. None unless given. */
  leasedWhenSigned?: (input: Utxo) => boolean;
  /** The lane of an anchor: the leases it has on the inputs pass to the transaction. */
  laneId?: string;
};

/** `known`: the same transaction was recorded before, and has ended since; no other one may have its hash. */
export type RecordOutcome = 'recorded' | 'inputs held' | 'known';

/**
 * Records a built transaction and leases its inputs, before anything is sent; the one way for every kind. Records nothing when another
 * open transaction holds an input that it would lease, or has its hash.
 */
export async function recordTransaction(
  context: TransactionContext,
  record: NewChainTransaction,
): Promise<RecordOutcome> {
  const { tx } = context;
  const { built, laneId } = record;
  const undo = () => sql`rollback to savepoint before_record`.execute(tx);
  await sql`savepoint before_record`.execute(tx);
  if (laneId !== undefined) await releaseLaneLeases(tx, laneId, built.inputs);
  try {
    if (await insertRecord(context, record)) return 'recorded';
  } catch (cause) {
    if (!isOfKnownHash(cause)) throw cause;
    await undo();
    return 'known';
  }
  await undo();
  return 'inputs held';
}

/** Inserts the transaction with its history and leases; returns whether all inputs were free. */
async function insertRecord(context: TransactionContext, record: NewChainTransaction): Promise<boolean> {
  const { tx } = context;
  const { id, built, leasedWhenSigned } = record;
  const inputs = built.inputs.filter((input) => !leasedWhenSigned?.(input));
  const state: TransactionState = record.signer === 'wallet' ? 'awaiting_signatures' : 'pending';
  const { rows } = await sql<{ leased: number }>`
    with recorded as (${transactionInsert(context, record, state)}),
      noted as (${historyInsert(context, { id, blockHeight: null, blockHash: null }, state)}),
      leases as (${leasesInsert(tx, { id, inputs })})
    select count(*)::int as leased from leases
  `.execute(tx);
  return rows[0]?.leased === inputs.length;
}

const UNIQUE_VIOLATION = '23505';

function isOfKnownHash(error: unknown): boolean {
  if (sqlStateOf(error) !== UNIQUE_VIOLATION) return false;
  return error instanceof Error && 'constraint' in error && error.constraint === 'chain_transactions_hash_key';
}

function transactionInsert(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  { built, ...record }: NewChainTransaction,
  state: TransactionState,
) {
  const outputs = built.outputs.map((output) => storedUtxo({ ...output, txHash: built.hash }));
  return tx.insertInto('chain_transactions').values({
    id: record.id,
    kind: record.kind,
    vault_id: record.vaultId,
    owner_workflow: record.ownerWorkflow,
    signer: record.signer,
    wallet: record.wallet,
    hash: built.hash,
    unsigned_cbor: built.cbor,
    inputs: JSON.stringify(built.inputs.map(storedUtxo)),
    outputs: JSON.stringify(outputs),
    required_signers: [...built.requiredSigners],
    platform_signers: [...(record.platformSigners ?? [])],
    cosigners: record.cosigners ? JSON.stringify(record.cosigners) : null,
    fee: built.fee,
    ttl_slot: BigInt(built.ttlSlot),
    expires_at: new Date(record.expiresAt),
    state,
    error: null,
    created_at: new Date(now),
    updated_at: new Date(now),
  });
}
