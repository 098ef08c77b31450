import { type Selectable, sql } from 'kysely';
import type { Utxo } from '../chain/transaction.ts';
import { type ClaimStatus, claimTransition } from '../domain/claim/claim.ts';
import type { Direction } from '../domain/transitions.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/units/money.ts';
import type { UtxoRef } from '../domain/transaction/utxo-ref.ts';
import { anyOf } from './bulk-insert.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from './database.ts';
import { readStoredUtxo, type StoredUtxo } from './stored-utxo.ts';
import type { ClaimsTable } from './tables/terminations.ts';
import type { TransactionContext } from './transaction-context.ts';

/** Tokens that a holder returns to a vault that ends, and what they bring (design D31). */
export interface Claim {
  readonly id: string;
  readonly vaultId: string;
  readonly wallet: string;
  readonly amount: BaseUnits;
  readonly payout: Lovelace;
  readonly status: ClaimStatus;
  readonly transactionId: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewClaim = Pick<Claim, 'id' | 'vaultId' | 'wallet' | 'amount' | 'payout' | 'transactionId'>;

export async function insertClaim({ tx, now }: TransactionContext, claim: NewClaim): Promise<void> {
  await tx
    .insertInto('claims')
    .values({
      id: claim.id,
      vault_id: claim.vaultId,
      wallet: claim.wallet,
      amount: claim.amount,
      payout: claim.payout,
      status: 'PENDING',
      claim_transaction_id: claim.transactionId,
      created_at: new Date(now),
      updated_at: new Date(now),
    })
    .execute();
}

/** Locks the claim that a transaction carries out. Throws when there is none. */
export async function lockClaimOfTransaction(tx: Transaction, transactionId: string): Promise<Claim> {
  const query = tx.selectFrom('claims').selectAll().where('claim_transaction_id', '=', transactionId).forUpdate();
  return readClaim(await query.executeTakeFirstOrThrow());
}

/** The transactions of a wallet's claims that may still lack its signature. */
export async function unfinishedClaimTransactions(tx: Transaction, vaultId: string, wallet: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('claims')
    .select('claim_transaction_id')
    .where('wallet', '=', wallet)
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'PENDING')
    .orderBy('claim_transaction_id')
    .execute();
  return rows.map(({ claim_transaction_id: transactionId }) => transactionId);
}

/** A claim that its wallet has signed and that no block is recorded for. */
export interface SentClaim {
  readonly hash: string;
  /** The outputs of the pot that it spends, as `<hash>#<index>`. */
  readonly spends: readonly string[];
  /** What it leaves in the pot; null when another transaction holds that. */
  readonly change: Utxo | null;
}

/** The claims from a vault that are signed and in no block, without those that the ledger has refused. */
export async function sentClaims(db: Db | Transaction, vaultId: string, potAddress: string): Promise<SentClaim[]> {
  const rows = await claimTransactions(db, vaultId)
    .select('hash')
    .select(
      sql<
        string[]
      >`array(select (input ->> 'txHash') || '#' || (input ->> 'index') from jsonb_array_elements(inputs) input
        where input ->> 'address' = ${potAddress})`.as('spends'),
    )
    .select(
      sql<StoredUtxo | null>`case when exists (select from utxo_leases where tx_hash = hash and output_index = 0) then null
        else outputs -> 0 end`.as('change'),
    )
    .where('state', 'in', ['pending', 'submitted'])
    .where('refusal', 'is', null)
    .execute();
  return rows.map(({ hash, spends, change }) => ({ hash, spends, change: change && readStoredUtxo(change) }));
}

/** The claims whose change a claim spends and that are signed and not sent yet; none of another transaction. */
export async function unsentClaimsBefore(
  db: Db,
  { kind, inputs }: Pick<ChainTransaction, 'kind' | 'inputs'>,
): Promise<ChainTransaction[]> {
  if (kind !== 'claim') return [];
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('hash', '=', anyOf(inputs.map(({ txHash }) => txHash)))
    .where('kind', '=', 'claim')
    .where('state', '=', 'pending')
    .execute();
  return rows.map(readTransaction);
}

/** The inputs of the newest claims from a vault that nobody has signed; an output is named once for each of them. */
export async function inputsOfUnsignedClaims(tx: Transaction, vaultId: string, limit: number): Promise<UtxoRef[]> {
  const rows = await claimTransactions(tx, vaultId)
    .select('inputs')
    .where('state', '=', 'awaiting_signatures')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ inputs }) => inputs);
}

function claimTransactions(db: Db | Transaction, vaultId: string) {
  return db.selectFrom('chain_transactions').where('vault_id', '=', vaultId).where('kind', '=', 'claim');
}

/** Moves a claim to another status; throws INVALID_TRANSITION. */
export async function changeClaimStatus(
  { tx, now }: TransactionContext,
  { id, status }: Claim,
  to: ClaimStatus,
  direction?: Direction,
): Promise<void> {
  const change = { status: claimTransition(status, to, direction), updated_at: new Date(now) };
  await tx.updateTable('claims').set(change).where('id', '=', id).execute();
}

export function readClaim(row: Selectable<ClaimsTable>): Claim {
  return {
    id: row.id,
    vaultId: row.vault_id,
    wallet: row.wallet,
    amount: baseUnits(BigInt(row.amount)),
    payout: lovelace(BigInt(row.payout)),
    status: row.status,
    transactionId: row.claim_transaction_id,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  };
}

/** The claim that a transaction carries out; null when there is none. */
export async function findClaimOfTransaction(db: Db, transactionId: string): Promise<Claim | null> {
  const query = db.selectFrom('claims').selectAll().where('claim_transaction_id', '=', transactionId);
  const row = await query.executeTakeFirst();
  return row ? readClaim(row) : null;
}
