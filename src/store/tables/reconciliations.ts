import type { Generated, GeneratedAlways } from 'kysely';
import type { DifferenceCode, DifferenceKind } from '../../domain/reconciliation/difference.ts';
import type { NullableText, NullableTimestamp, Timestamp } from './columns.ts';

export interface ReconciliationsTable {
  id: string;
  started_by: 'schedule' | 'operator';
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  vaults: Generated<number>;
  /** The vaults up to this id are compared. */
  last_vault_id: NullableText;
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

/** The tables of migration 0054. */
export interface ReconciliationTables {
  reconciliations: ReconciliationsTable;
  reconciliation_differences: ReconciliationDifferencesTable;
}
