import { sql } from 'kysely';
import type { Signer } from '../../executions/rules/required-signatures.ts';
import type { LedgerTip } from '../rules/finality.ts';
import type { VaultStatus } from '../../vaults/rules/vault.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { ledgerTip } from '../../ledger-follower/queries/ledger-tip.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';
import type { HistoryEntry } from './transaction-history.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/visible-vaults.ts';

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
    .modifyFront(prepared)
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
