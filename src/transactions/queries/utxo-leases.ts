import { sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { isOnLedger, isOpen, type TransactionState, transactionStates, refText, type UtxoRef } from '../rules.ts';
import { anyOf, bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { readStoredUtxo } from '../../platform/database/stored-json.ts';

const inNoBlock = transactionStates.filter((state) => isOpen(state) && !isOnLedger(state));

interface Spending {
  /** Of a recorded transaction. */
  readonly id: string;
  readonly inputs: readonly Utxo[];
}

/** The holder of a lease: an open transaction or an anchor chain of anchors. */
interface Holder {
  readonly transactionId: string | null;
  readonly anchorChainId: string | null;
}

/** A transaction that is in no block yet, its state and when it expires. */
export interface HoldingTransaction {
  readonly hash: string;
  readonly state: TransactionState;
  readonly expiresAt: Instant;
}

/** Those of the UTxOs that neither an open transaction nor an anchor chain of anchors holds. */
export async function excludeLeased<Output extends UtxoRef>(
  db: Db | Transaction,
  utxos: readonly Output[],
): Promise<Output[]> {
  const held = await holdersOf(db, utxos);
  return utxos.filter((utxo) => !held.has(refText(utxo)));
}

/** Those of the UTxOs that an anchor chain holds and that none of its live anchors spends. */
export async function heldByAnchorChain(
  db: Db | Transaction,
  anchorChainId: string,
  utxos: readonly Utxo[],
): Promise<Utxo[]> {
  const held = await holdersOf(db, utxos);
  return utxos.filter((utxo) => held.get(refText(utxo))?.anchorChainId === anchorChainId);
}

/** The inputs of a transaction that another transaction, or an anchor chain of anchors, holds. */
export async function inputsHeldElsewhere(tx: Transaction, { id, inputs }: Spending): Promise<Utxo[]> {
  const held = await holdersOf(tx, inputs);
  return inputs.filter((input) => {
    const holder = held.get(refText(input));
    return holder !== undefined && holder.transactionId !== id;
  });
}

/** The transactions in no block yet that hold some of these outputs, in the order in which they expire. */
export async function openTransactionsHolding(
  tx: Transaction,
  utxos: readonly UtxoRef[],
): Promise<HoldingTransaction[]> {
  const held = await holdersOf(tx, utxos);
  const ids = [...held.values()].flatMap(({ transactionId }) => transactionId ?? []);
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('chain_transactions')
    .select(['hash', 'state', 'expires_at'])
    .where('id', '=', anyOf(ids))
    .where('state', 'in', inNoBlock)
    .orderBy('expires_at')
    .execute();
  return rows.map(({ hash, state, expires_at: expiresAt }) => {
    return { hash, state, expiresAt: instant(expiresAt) };
  });
}

/** The statement that leases the free ones of these inputs for a transaction; it returns a row for each lease. */
export function leasesInsert(tx: Transaction, { id, inputs }: Spending) {
  // In one order for all, so that transactions that want the same inputs do not deadlock.
  const leases = inputs
    .toSorted((one, other) => (refText(one) < refText(other) ? -1 : 1))
    .map(({ txHash, index }) => ({ tx_hash: txHash, output_index: index, transaction_id: id }));
  const columns = { tx_hash: 'text', output_index: 'int', transaction_id: 'uuid' } as const;
  return bulkInsert(tx, 'utxo_leases', columns, leases)
    .onConflict((conflict) => conflict.doNothing())
    .returning('tx_hash');
}

/** Ends the leases that an anchor chain of anchors has on these outputs. */
export async function releaseAnchorChainLeases(
  tx: Transaction,
  anchorChainId: string,
  utxos: readonly UtxoRef[],
): Promise<void> {
  await tx
    .deleteFrom('utxo_leases')
    .where('anchor_chain_id', '=', anchorChainId)
    .where(sql<boolean>`tx_hash || '#' || output_index = any(${utxos.map(refText)})`)
    .execute();
}

/** Leases the inputs that a transaction does not hold yet; returns those that another holder has. */
export async function leaseInputs(tx: Transaction, transaction: Spending): Promise<Utxo[]> {
  if (transaction.inputs.length > 0) await leasesInsert(tx, transaction).execute();
  return inputsHeldElsewhere(tx, transaction);
}

/** The inputs of the transactions that wait for the signature of a wallet and are not withdrawn. */
export async function inputsAwaitingSignature(tx: Transaction, wallet: string): Promise<Utxo[]> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .select('inputs')
    .where('wallet', '=', wallet)
    .where('state', '=', 'awaiting_signatures')
    .where('error', 'is', null)
    .execute();
  return rows.flatMap(({ inputs }) => inputs.map(readStoredUtxo));
}

/** The holders of these outputs, by the text of the output; free outputs are left out. */
async function holdersOf(db: Db | Transaction, utxos: readonly UtxoRef[]): Promise<ReadonlyMap<string, Holder>> {
  if (utxos.length === 0) return new Map();
  const rows = await db
    .selectFrom('utxo_leases')
    .select(['tx_hash', 'output_index', 'transaction_id', 'anchor_chain_id'])
    .where(sql<boolean>`tx_hash = any(${[...new Set(utxos.map(({ txHash }) => txHash))]})`)
    .execute();
  const asked = new Set(utxos.map(refText));
  const leases = rows.map((row) => ({
    ref: refText({ txHash: row.tx_hash, index: row.output_index }),
    holder: { transactionId: row.transaction_id, anchorChainId: row.anchor_chain_id },
  }));
  return new Map(leases.filter(({ ref }) => asked.has(ref)).map(({ ref, holder }) => [ref, holder]));
}

export async function releaseLeases(tx: Transaction, transactionId: string): Promise<void> {
  await tx.deleteFrom('utxo_leases').where('transaction_id', '=', transactionId).execute();
}
