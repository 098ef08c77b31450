import { type RawBuilder, sql } from 'kysely';
import { ledgerTip } from '../../ledger-follower/queries/blocks.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/stored-json.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { type ChainTransaction, readTransaction } from './transactions.ts';
import {
  type LedgerTip,
  type TransactionKind,
  type TransactionState,
  hasEnded,
  isOnLedger,
  isOpen,
  transactionStates,
} from '../rules.ts';
import { ownVaults, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';
import { type VaultStatus, vaultStatuses } from '../../vaults/rules/vault.ts';

/** A wallet, and the hash of its payment key; null for an address without one. */
export interface SigningWallet {
  readonly wallet: string;
  readonly keyHash: string | null;
}

/** A transaction, and how far the ledger is followed. */
export interface ListedTransaction {
  readonly transaction: ChainTransaction;
  readonly tip: LedgerTip | null;
}

/** Who reads: transactions of vaults in the scope that have one of the statuses, and those that the wallet signs. */
interface TransactionReader {
  readonly scope: ReaderScope;
  readonly statuses: readonly VaultStatus[];
  readonly wallet: SigningWallet | null;
}

export interface TransactionFilter {
  readonly reader: TransactionReader;
  readonly vaultId?: string | undefined;
  readonly signedBy?: SigningWallet | undefined;
  readonly kind?: TransactionKind | undefined;
  readonly status?: TransactionState | undefined;
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', status: 'state', kind: 'kind' } as const;

/** A page of the transactions that belong to no vault or that the reader may see, and the total. */
export async function listTransactions(
  db: Db,
  { reader, vaultId, signedBy, kind, status }: TransactionFilter,
  page: Page<keyof typeof columns>,
): Promise<{ transactions: ListedTransaction[]; count: PageCount }> {
  const matching = db
    .selectFrom('chain_transactions')
    .where((eb) => eb.and(givenFields({ vault_id: vaultId, kind, state: status })))
    .$if(signedBy !== undefined, (query) => query.where(isSignedBy(signedBy ?? null)));
  const isGrouped = page.sort.field === 'status' || page.sort.field === 'kind';
  const order = {
    columns,
    tieBreak: isGrouped ? ['created_at', 'id'] : ['id'],
    tieBreakFollowsSort: true,
    parts: partsFor(reader),
  };
  const { rows, count } = await readPage(db, matching.selectAll().select(ledgerTip.as('tip')), matching, order, page);
  return { transactions: rows.map((row) => ({ transaction: readTransaction(row), tip: row.tip })), count };
}

/**
 * Which transactions the reader may see, in conditions of which a transaction meets at most one: an index serves each, while one condition for
 * all reads past those of PRIVATE vaults.
 */
function partsFor({ scope, statuses, wallet }: TransactionReader): readonly RawBuilder<boolean>[] {
  if (scope === 'everyone') return [sql<boolean>`true`];
  // Not `in` or `exists`, for which Postgres may read all vaults first.
  const ofVault = (rule: RawBuilder<boolean>) =>
    sql<boolean>`coalesce((select ${rule} from vaults where vaults.id = chain_transactions.vault_id), false)`;
  const hasStatus = sql<boolean>`vaults.status = any(${statuses})`;
  const isReadable = statuses.length === vaultStatuses.length ? sql<boolean>`true` : ofVault(hasStatus);
  const isSigned = isSignedBy(wallet);
  return [
    sql<boolean>`(shown and (vault_id is null or ${isReadable} or ${isSigned}))`,
    ...(scope === 'public' ? [] : [ofOwn(scope, ofVault(hasStatus), isSigned)]),
  ];
}

/**
 * Those of PRIVATE vaults that the wallet takes part in, and those that it signs. They are found before they are sorted: in the order of a page
 * all that are hidden could be read past.
 */
function ofOwn(scope: { readonly wallet: string }, isReadable: RawBuilder<boolean>, isSigned: RawBuilder<boolean>) {
  const hidden = sql`select id from chain_transactions where not shown`;
  return sql<boolean>`(not shown and id = any(array(
    ${hidden} and vault_id = any(array(${ownVaults(scope)})) and ${isReadable} union all ${hidden} and ${isSigned})))`;
}

/**
 * Whether a transaction is the wallet's own, or one of a vault that requires a signature of its key, as of a cosigner. Others that require
 * it are left out: anybody can name this wallet's UTxOs, and so put a transaction that takes them before its owner to be signed.
 */
function isSignedBy(signing: SigningWallet | null) {
  if (signing === null) return sql<boolean>`false`;
  const { wallet, keyHash } = signing;
  const required = sql<boolean>`(signer = 'wallet' and kind in ('execute', 'gather_pot', 'hand_over', 'move_custody', 'move_kept') and required_signers @> array[${keyHash}]::text[])`;
  return sql<boolean>`(wallet = ${wallet} or ${required})`;
}

/** The fields of a transaction that a list shows. */
export type TransactionSummary = Pick<ChainTransaction, 'hash' | 'kind' | 'state' | 'blockHeight' | 'createdAt'>;

/** Whether a vault has an open transaction of one of these kinds. */
export const isAnyOpen = hasAnyIn(transactionStates.filter(isOpen));

/** Whether one of them is in no block and still may be. */
export const isAnyUnconfirmed = hasAnyIn(transactionStates.filter((state) => isOpen(state) && !isOnLedger(state)));

/** Whether one of them has all signatures and is not final. */
export const isAnySent = hasAnyIn(['pending', 'submitted', 'confirmed']);

function hasAnyIn(states: readonly TransactionState[]) {
  return async (db: Db | Transaction, vaultId: string, kinds: readonly TransactionKind[]): Promise<boolean> => {
    const query = db.selectFrom('chain_transactions').select('id').where('vault_id', '=', vaultId);
    const found = query.where('kind', 'in', kinds).where('state', 'in', states);
    return (await found.limit(1).executeTakeFirst()) !== undefined;
  };
}

/** Whether the transaction of a vault before this one, of the same kind, has expired. */
export async function followsExpired(
  db: Db | Transaction,
  { vaultId, kind, createdAt }: Pick<ChainTransaction, 'kind' | 'createdAt'> & { readonly vaultId: string },
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('state').where('vault_id', '=', vaultId);
  const earlier = query.where('kind', '=', kind).where('created_at', '<', new Date(createdAt));
  return (await earlier.orderBy('created_at', 'desc').limit(1).executeTakeFirst())?.state === 'expired';
}

type TransactionSummaryJson = Omit<TransactionSummary, 'createdAt'> & { readonly createdAt: JsonTime };

/**
 * The transactions of a vault, oldest first, as a column of a statement that reads vaults. If there are more than `limit`, older ones
 * of wallets are left out.
 */
export function transactionSummaries(limit: number) {
  return sql<readonly TransactionSummaryJson[]>`(select coalesce(json_agg(json_build_object('hash', hash, 'kind', kind,
    'state', state, 'blockHeight', block_height, 'createdAt', created_at) order by created_at, id), '[]') from (
      select id, hash, kind, state, block_height, created_at from chain_transactions where vault_id = vaults.id
      order by signer, created_at desc, id desc limit ${limit}) as shown)`;
}

/** Reads the column of `transactionSummaries`. */
export function readTransactionSummaries(json: readonly TransactionSummaryJson[]): TransactionSummary[] {
  return json.map((summary) => ({ ...summary, createdAt: jsonInstant(summary.createdAt) }));
}

/** A vault's transactions of some kinds, oldest first. */
export async function vaultTransactions(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<ChainTransaction[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('kind', 'in', kinds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readTransaction);
}

/**
 * The expired and failed transactions of a vault that a block which the follower keeps could have; a rollback to before these blocks
 * is none that a network makes.
 */
export async function endedTransactions(
  db: Db,
  vaultId: string,
  kind: TransactionKind,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('vault_id', '=', vaultId)
    .where('kind', '=', kind)
    .where('state', 'in', transactionStates.filter(hasEnded))
    .where(sql<boolean>`ttl_slot > coalesce((select min(slot) from blocks), 0)`)
    .execute();
}
