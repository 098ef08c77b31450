import { type Selectable, type ExpressionBuilder, sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction, Database } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { ClaimsTable } from '../../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { type ClaimStatus, claimTransition } from '../rules/claims.ts';
import { type ChainTransaction, readTransaction } from '../../transactions/queries/transactions.ts';
import { readStoredUtxo, type StoredUtxo } from '../../platform/database/stored-json.ts';
import type { UtxoRef } from '../../transactions/rules.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';

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

/** Locks the claim that a transaction carries out. */
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

function readClaim(row: Selectable<ClaimsTable>): Claim {
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

/** A claim with the fields of other tables that a response needs. */
export interface ListedClaim {
  readonly claim: Claim;
  readonly ftDecimals: number;
  readonly transactionHash: string;
  readonly claimDeadline: Instant;
}

export interface ClaimFilter {
  readonly vaultId: string;
  readonly wallet?: string | undefined;
  readonly status?: ClaimStatus | undefined;
}

const columns = {
  createdAt: 'claims.created_at',
  amount: 'claims.amount',
  payout: 'claims.payout',
  status: 'claims.status',
} as const;

/**
 * A page of a vault's claims, and the total; without a status filter, claims that expired are left out. Null when the vault is hidden
 * from the reader.
 */
export async function listClaims(
  db: Db,
  { vaultId, wallet, status }: ClaimFilter,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ claims: ListedClaim[]; count: PageCount } | null> {
  const isWanted = (eb: ExpressionBuilder<Database, 'claims'>) =>
    eb.and([
      eb.and(givenFields({ 'claims.vault_id': vaultId, 'claims.wallet': wallet })),
      status === undefined ? eb('claims.status', '<>', 'EXPIRED') : eb('claims.status', '=', status),
    ]);
  const matching = db.selectFrom('claims').where(isWanted);
  const tieBreak = ['claims.created_at', 'claims.id'];
  const collection = { columns, tieBreak, visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, withHash(db).where(isWanted), matching, collection, page);
  return isVisible ? { claims: rows.map(listed), count } : null;
}

/** One claim with what a response needs; null when there is none in a vault that the reader may see. */
export async function findListedClaim(
  db: Db,
  { vaultId, claimId }: { readonly vaultId: string; readonly claimId: string },
  scope: ReaderScope,
): Promise<ListedClaim | null> {
  const wanted = withHash(db).where('claims.id', '=', claimId).where('claims.vault_id', '=', vaultId);
  const row = await wanted.where(isVaultVisible(sql.ref('claims.vault_id'), scope)).executeTakeFirst();
  return row ? listed(row) : null;
}

/** One claim with what a response needs. */
export async function getListedClaim(tx: Transaction, claimId: string): Promise<ListedClaim> {
  return listed(await withHash(tx).where('claims.id', '=', claimId).executeTakeFirstOrThrow());
}

function withHash(db: Db | Transaction) {
  return db
    .selectFrom('claims')
    .innerJoin('vaults', 'vaults.id', 'claims.vault_id')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'claims.claim_transaction_id')
    .innerJoin('terminations', 'terminations.vault_id', 'claims.vault_id')
    .selectAll('claims')
    .select(['vaults.ft_decimals', 'chain_transactions.hash'])
    .select(sql<Date>`terminations.claim_deadline`.as('claim_deadline'));
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withHash>['executeTakeFirstOrThrow']>>;

function listed(row: ListedRow): ListedClaim {
  return {
    claim: readClaim(row),
    ftDecimals: row.ft_decimals,
    transactionHash: row.hash,
    claimDeadline: instant(row.claim_deadline),
  };
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
