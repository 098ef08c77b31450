import { sql } from 'kysely';
import type { BuiltTransaction, Utxo } from '../../cardano/transaction.ts';
import { bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { sqlStateOf } from '../../platform/database/sqlstate.ts';
import { jsonWithAmountsAsText, storedUtxo } from '../../platform/database/stored-json.ts';
import type { Payments } from '../../platform/database/tables/deposits.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { DepositKind } from '../../settlement/rules/deposits.ts';
import { type ChainTransaction, historyInsert, type TransactionHead } from './transactions.ts';
import { leasesInsert, releaseAnchorChainLeases } from './utxo-leases.ts';
import type { Cosigners, TransactionState, TransactionKind, UtxoRef } from '../rules.ts';

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
  /** The anchor chain of an anchor: the leases it has on the inputs pass to the transaction. */
  anchorChainId?: string;
};

/** `known`: the same transaction was recorded before, and has ended since; no other one may have its hash. */
type RecordOutcome = 'recorded' | 'inputs held' | 'known';

/**
 * Records a built transaction and leases its inputs, before anything is sent; the one way for every kind. Records nothing when another
 * open transaction holds an input that it would lease, or has its hash.
 */
export async function recordTransaction(
  context: TransactionContext,
  record: NewChainTransaction,
): Promise<RecordOutcome> {
  const { tx } = context;
  const { built, anchorChainId } = record;
  const undo = () => sql`rollback to savepoint before_record`.execute(tx);
  await sql`savepoint before_record`.execute(tx);
  if (anchorChainId !== undefined) await releaseAnchorChainLeases(tx, anchorChainId, built.inputs);
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

interface DepositPayment<Kind extends keyof Payments> extends DepositRef {
  readonly payment: Payments[Kind];
}

/** Records the deposits that a transaction spends, and what each owner receives by it, whose amounts may be bigints. */
export async function linkDeposits(
  tx: Transaction,
  transactionId: string,
  deposits: readonly (DepositRef & { readonly payment: object })[],
): Promise<void> {
  const rows = deposits.map(({ depositId, depositKind, payment }) => ({
    transaction_id: transactionId,
    deposit_id: depositId,
    deposit_kind: depositKind,
    payment: jsonWithAmountsAsText(payment),
  }));
  const columns = { transaction_id: 'uuid', deposit_id: 'uuid', deposit_kind: 'text', payment: 'jsonb' } as const;
  await bulkInsert(tx, 'transaction_deposits', columns, rows).execute();
}

export async function depositsInTransaction(db: Db | Transaction, transactionId: string): Promise<DepositRef[]> {
  return db
    .selectFrom('transaction_deposits')
    .select(['deposit_id as depositId', 'deposit_kind as depositKind'])
    .where('transaction_id', '=', transactionId)
    .execute();
}

/** As `depositsInTransaction`, with what a transaction of this kind pays for each. */
export async function depositsPaidBy<Kind extends keyof Payments>(
  db: Db | Transaction,
  transactionId: string,
): Promise<DepositPayment<Kind>[]> {
  return db
    .selectFrom('transaction_deposits')
    .select(['deposit_id as depositId', 'deposit_kind as depositKind', 'payment'])
    .where('transaction_id', '=', transactionId)
    .$castTo<DepositPayment<Kind>>()
    .execute();
}

/** The wallets that made the deposits that a transaction spends, each once. */
export async function depositOwners(tx: Transaction, transactionId: string): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`
    select distinct owner from transaction_deposits link cross join lateral ${linkedDeposit} deposit
    where transaction_id = ${transactionId}`.execute(tx);
  return rows.map(({ owner }) => owner);
}

/** The deposit that a row `link` of transaction_deposits names, with the transaction and output that hold it. */
export const linkedDeposit = sql`(
  select added_by as owner, 0 as invested, deposit_index, add_transaction_id as maker_id
    from assets where link.deposit_kind = 'asset' and id = link.deposit_id
  union all
  select wallet, lovelace, 0, transaction_id from investments where link.deposit_kind = 'investment' and id = link.deposit_id)`;

/** Whether a delivery that has been confirmed or still may pays contributors of a vault. */
export async function paysContributors(db: Db, vaultId: string): Promise<boolean> {
  const paid = db
    .selectFrom('entitlements')
    .innerJoin('transaction_deposits', 'transaction_deposits.deposit_id', 'entitlements.deposit_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'transaction_deposits.transaction_id')
    .select('entitlements.deposit_id')
    .where('entitlements.vault_id', '=', vaultId)
    .where('entitlements.deposit_kind', '=', 'asset')
    .where('chain_transactions.kind', '=', 'deliver')
    .where('chain_transactions.state', 'not in', ['expired', 'failed']);
  return (await paid.limit(1).executeTakeFirst()) !== undefined;
}

/** Which of a vault's deposits. */
export interface DepositRef {
  readonly depositId: string;
  readonly depositKind: DepositKind;
}

/** Investments and stakes are the first output of the transaction that brings them. */
const first = sql.lit(0).as('index');

type Reader = (tx: Transaction, transactionId: string) => Promise<UtxoRef[]>;

/** By the kind of transaction that returns what was brought before. */
const readers: Partial<Record<TransactionKind, Reader>> = {
  remove_asset: (tx, id) =>
    tx
      .selectFrom('assets')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'assets.add_transaction_id')
      .select(['chain_transactions.hash as txHash', 'assets.deposit_index as index'])
      .where('assets.remove_transaction_id', '=', id)
      .execute(),
  remove_investment: (tx, id) =>
    tx
      .selectFrom('investments')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'investments.transaction_id')
      .select(['chain_transactions.hash as txHash', first])
      .where('investments.remove_transaction_id', '=', id)
      .execute(),
  unstake: (tx, id) =>
    tx
      .selectFrom('stakes')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'stakes.stake_transaction_id')
      .select(['chain_transactions.hash as txHash', first])
      .where('stakes.unstake_transaction_id', '=', id)
      .execute(),
  return_unsolicited: (tx, id) =>
    tx
      .selectFrom('unsolicited_outputs')
      .select(['tx_hash as txHash', 'output_index as index'])
      .where('return_transaction_id', '=', id)
      .execute(),
};

/** The outputs that rows say a transaction returns; none where its kind returns nothing. */
export async function takenOutputs(
  tx: Transaction,
  { id, kind }: Pick<TransactionHead, 'id' | 'kind'>,
): Promise<UtxoRef[]> {
  return (await readers[kind]?.(tx, id)) ?? [];
}
