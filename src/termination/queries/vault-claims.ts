import { type ExpressionBuilder, sql } from 'kysely';
import type { ClaimStatus } from '../rules/claims/claim.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { type Claim, readClaim } from './claims.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

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
  const wanted = withHash(db)
    .modifyFront(prepared)
    .where('claims.id', '=', claimId)
    .where('claims.vault_id', '=', vaultId);
  const row = await wanted.where(isVaultVisible(sql.ref('claims.vault_id'), scope)).executeTakeFirst();
  return row ? listed(row) : null;
}

/** One claim with what a response needs. Throws when there is none. */
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
