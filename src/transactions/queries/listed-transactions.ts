import { type RawBuilder, sql } from 'kysely';
import type { LedgerTip } from '../rules/finality.ts';
import type { TransactionKind, TransactionState } from '../rules/transaction-state.ts';
import { type VaultStatus, vaultStatuses } from '../../vaults/rules/vault.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db } from '../../platform/database/database.ts';
import { ledgerTip } from '../../ledger-follower/queries/ledger-tip.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { ownVaults } from '../../vaults/queries/visible-parts.ts';
import type { ReaderScope } from '../../vaults/queries/visible-vaults.ts';

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
export interface TransactionReader {
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
