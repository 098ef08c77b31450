import { sql } from 'kysely';
import type { LedgerTip } from '../../transactions/rules/finality.ts';

/** The last followed block as a column of a statement that reads transactions; null until a worker has run once. */
export const ledgerTip = sql<LedgerTip | null>`(select json_build_object('height', (select max(height) from blocks),
  'confirmationDepth', confirmation_depth) from platform)`;
