import type { Selectable } from 'kysely';
import { type ClaimStatus, claimTransition } from '../rules/claims/claim.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { ClaimsTable } from '../../platform/database/tables/terminations.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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

/** Records a claim. */
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

/** What claims on a vault have been paid by transactions that are on the ledger, and the tokens that these have returned. */
export async function paidOut(tx: Transaction, vaultId: string): Promise<{ lovelace: bigint; returned: bigint }> {
  const { paid, returned } = await tx
    .selectFrom('claims')
    .select(({ fn }) => [fn.sum<string | null>('payout').as('paid'), fn.sum<string | null>('amount').as('returned')])
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'PAID')
    .executeTakeFirstOrThrow();
  return { lovelace: BigInt(paid ?? 0), returned: BigInt(returned ?? 0) };
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
