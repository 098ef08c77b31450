import type { LedgerTip } from '../../transactions/rules.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { ledgerTip } from '../../ledger-follower/queries/blocks.ts';
import {
  type PlannedSettlement,
  plannedSettlement,
  readPlannedSettlement,
} from '../../settlement/queries/settlements.ts';
import {
  readTransactionSummaries,
  type TransactionSummary,
  transactionSummaries,
} from '../../transactions/queries/listed-transactions.ts';
import { readVault } from './vaults.ts';
import { readView, type VaultReader, type ViewedVault, visibleVault } from './viewed-vaults.ts';

/** A vault with all that only its own operation shows. */
export interface VaultRecord extends ViewedVault {
  /** Null until the settlement is planned. */
  readonly settlement: PlannedSettlement | null;
  /** Oldest first. */
  readonly transactions: readonly TransactionSummary[];
  readonly tip: LedgerTip | null;
}

/** As `findViewedVault`, with the settlement and the transactions; if there are more than `limit`, older ones of wallets are left out. */
export async function findVaultRecord(
  db: Db | Transaction,
  vaultId: string,
  reader: VaultReader,
  limit: number,
): Promise<VaultRecord | null> {
  const row = await visibleVault(db, vaultId, reader)
    .select([
      plannedSettlement.as('settlement'),
      transactionSummaries(limit).as('transactions'),
      ledgerTip.as('ledger_tip'),
    ])
    .executeTakeFirst();
  if (!row) return null;
  return {
    ...readView(readVault(row), row),
    settlement: readPlannedSettlement(row.settlement),
    transactions: readTransactionSummaries(row.transactions),
    tip: row.ledger_tip,
  };
}
