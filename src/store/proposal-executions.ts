import type { Db, Transaction } from './database.ts';
import { type Execution, readExecution } from './executions.ts';

/** Locks the execution of a proposal that is frozen, sent or executed, and its transaction; null when there is none. */
export async function lockLiveExecution(tx: Transaction, proposalId: string): Promise<Execution | null> {
  const live = tx
    .selectFrom('executions')
    .where('proposal_id', '=', proposalId)
    .where('executions.status', 'in', ['FROZEN', 'SENT', 'EXECUTED']);
  // The ledger follower locks a transaction before its execution; this keeps the same order.
  const carriers = live.innerJoin('chain_transactions', 'chain_transactions.id', 'executions.transaction_id');
  await carriers.select('chain_transactions.id').forUpdate('chain_transactions').execute();
  const row = await live.selectAll().forUpdate().executeTakeFirst();
  return row ? readExecution(row) : null;
}

/** The last execution of each proposal, by the proposal's id. */
export async function lastExecutions(
  db: Db | Transaction,
  proposalIds: readonly string[],
): Promise<ReadonlyMap<string, Execution>> {
  if (proposalIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('executions')
    .selectAll()
    .distinctOn('proposal_id')
    .where('proposal_id', 'in', proposalIds)
    .orderBy('proposal_id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.proposal_id, readExecution(row)]));
}

/** How many executions of a proposal were submitted and can no longer enter a block. */
export async function countFailedExecutions(tx: Transaction, proposalId: string): Promise<number> {
  const { failures } = await tx
    .selectFrom('executions')
    .select(({ fn }) => fn.countAll<string>().as('failures'))
    .where('proposal_id', '=', proposalId)
    .where('status', '=', 'FAILED')
    .executeTakeFirstOrThrow();
  return Number(failures);
}

/** Whether the transaction that executed a proposal is final. */
export async function isExecutionFinal(db: Db | Transaction, proposalId: string): Promise<boolean> {
  const row = await db
    .selectFrom('executions')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'executions.transaction_id')
    .select('executions.id')
    .where('executions.proposal_id', '=', proposalId)
    .where('executions.status', '=', 'EXECUTED')
    .where('chain_transactions.state', '=', 'final')
    .executeTakeFirst();
  return row !== undefined;
}
