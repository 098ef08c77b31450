import type { Generated, GeneratedAlways } from 'kysely';
import type { DifferenceCode, DifferenceKind } from '../../../books/rules/difference.ts';
import type { NullableTimestamp, Timestamp } from './columns.ts';

export interface ReconciliationsTable {
  id: string;
  started_by: 'schedule' | 'operator';
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  vaults: Generated<number>;
  /** The planned vaults up to this position are compared. */
  last_position: Generated<number>;
  /** Of the planned ones, when it ended. */
  vaults_left: Generated<number>;
}

interface ReconciliationVaultsTable {
  reconciliation_id: string;
  position: number;
  vault_id: string;
}

interface VaultComparisonsTable {
  vault_id: string;
  compared_at: Timestamp;
}

interface ReconciliationDifferencesTable {
  id: GeneratedAlways<string>;
  reconciliation_id: string;
  vault_id: string;
  kind: DifferenceKind;
  code: DifferenceCode;
  subject: string;
  books: string;
  ledger: string;
}

export interface ReconciliationTables {
  reconciliations: ReconciliationsTable;
  reconciliation_differences: ReconciliationDifferencesTable;
  reconciliation_vaults: ReconciliationVaultsTable;
  vault_comparisons: VaultComparisonsTable;
}
