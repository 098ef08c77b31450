import { type Selectable, sql } from 'kysely';
import type { LedgerTip } from '../../transactions/rules/finality.ts';
import { type ChainTransaction, readTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type Execution, readExecution } from './executions.ts';
import { ledgerTip } from '../../ledger-follower/queries/ledger-tip.ts';
import { jsonDate, type JsonRow } from '../../platform/database/json-columns.ts';
import type { ExecutionsTable } from '../../platform/database/tables/executions.ts';
import type { ChainTransactionsTable } from '../../platform/database/tables/transactions.ts';

/** An execution with its transaction. */
export interface ExecutionView {
  readonly execution: Execution;
  readonly transaction: ChainTransaction;
  readonly tip: LedgerTip | null;
}

interface ExecutionJson {
  readonly execution: JsonRow<Selectable<ExecutionsTable>>;
  readonly transaction: JsonRow<Selectable<ChainTransactionsTable>>;
  readonly tip: LedgerTip | null;
}

/** The last execution as a column of a statement that reads proposals; null when none was frozen. */
export const lastExecution = sql<ExecutionJson | null>`(select jsonb_build_object('execution', to_jsonb(execution),
  'transaction', to_jsonb(way) || jsonb_build_object('fee', way.fee::text, 'ttl_slot', way.ttl_slot::text,
    'block_height', way.block_height::text), 'tip', ${ledgerTip})
  from executions execution join chain_transactions way on way.id = execution.transaction_id
  where execution.proposal_id = proposals.id order by execution.created_at desc, execution.id desc limit 1)`;

/** The last execution of a proposal. Throws when there is none. */
export async function getLastExecution(db: Db | Transaction, proposalId: string): Promise<ExecutionView> {
  const query = db.selectFrom('proposals').select(lastExecution.as('execution')).where('id', '=', proposalId);
  const row = await query.executeTakeFirst();
  if (!row?.execution) throw new Error(`proposal ${proposalId} has no execution`);
  return readExecutionView(row.execution);
}

/** Reads the column `lastExecution`. */
export function readExecutionView({ execution, transaction, tip }: ExecutionJson): ExecutionView {
  return {
    tip,
    execution: readExecution({
      ...execution,
      created_at: new Date(execution.created_at),
      executed_at: jsonDate(execution.executed_at),
    }),
    transaction: readTransaction({
      ...transaction,
      expires_at: new Date(transaction.expires_at),
      submitted_at: jsonDate(transaction.submitted_at),
      sent_at: jsonDate(transaction.sent_at),
      expiry_failed_at: jsonDate(transaction.expiry_failed_at),
      created_at: new Date(transaction.created_at),
      updated_at: new Date(transaction.updated_at),
    }),
  };
}
