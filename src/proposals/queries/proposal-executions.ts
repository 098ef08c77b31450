import { sql } from 'kysely';
import type { ExecutionStatus } from '../../executions/rules/execution.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type Execution, readExecution } from '../../executions/queries.ts';

/** Locks the execution of a proposal that is frozen, sent or executed, and its transaction; null when there is none. */
export async function lockLiveExecution(tx: Transaction, proposalId: string): Promise<Execution | null> {
  const live = tx
    .selectFrom('executions')
    .where('proposal_id', '=', proposalId)
    .where('executions.status', 'in', ['FROZEN', 'SENT', 'EXECUTED']);
  const executedFirst = sql`case executions.status when 'EXECUTED' then 0 else 1 end`;
  // The ledger follower locks a transaction before its execution; this keeps the same order.
  const carriers = live.innerJoin('chain_transactions', 'chain_transactions.id', 'executions.transaction_id');
  await carriers.select('chain_transactions.id').forUpdate('chain_transactions').execute();
  const row = await live.selectAll().orderBy(executedFirst).limit(1).forUpdate().executeTakeFirst();
  return row ? readExecution(row) : null;
}

/** Whether an execution of the proposal collects signatures or was submitted. */
export function hasOpenExecution(tx: Transaction, proposalId: string): Promise<boolean> {
  return hasExecutionIn(tx, proposalId, ['FROZEN', 'SENT']);
}

/** Whether an execution of the proposal is on the ledger. */
export function hasExecuted(tx: Transaction, proposalId: string): Promise<boolean> {
  return hasExecutionIn(tx, proposalId, ['EXECUTED']);
}

async function hasExecutionIn(
  tx: Transaction,
  proposalId: string,
  statuses: readonly ExecutionStatus[],
): Promise<boolean> {
  const query = tx.selectFrom('executions').select('id').where('proposal_id', '=', proposalId);
  return (await query.where('status', 'in', statuses).executeTakeFirst()) !== undefined;
}

/** When each wallet first froze an execution of a proposal. */
export async function firstFreezes(
  tx: Transaction,
  proposalId: string,
): Promise<readonly { readonly wallet: string; readonly at: Instant }[]> {
  const rows = await tx
    .selectFrom('executions')
    .select(({ fn }) => ['frozen_by', fn.min('created_at').as('first')])
    .where('proposal_id', '=', proposalId)
    .groupBy('frozen_by')
    .execute();
  return rows.map(({ frozen_by: wallet, first }) => ({ wallet, at: instant(first) }));
}

/** How many executions of a vault wait for signatures and spend outputs at an address. */
export async function countWaitingExecutions(tx: Transaction, vaultId: string, address: string): Promise<number> {
  const spends = JSON.stringify([{ address }]);
  const { count } = await tx
    .selectFrom('executions')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'executions.transaction_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('executions.vault_id', '=', vaultId)
    .where('executions.status', '=', 'FROZEN')
    .where(sql<boolean>`chain_transactions.inputs @> ${spends}::jsonb`)
    .executeTakeFirstOrThrow();
  return Number(count);
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

/** How many of them had the partner with this payment key, by proposal id; none for a proposal that is absent. */
export async function failedExecutionsWith(
  db: Db | Transaction,
  proposalIds: readonly string[],
  keyHash: string,
): Promise<ReadonlyMap<string, number>> {
  if (proposalIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('executions')
    .select(({ fn }) => ['proposal_id', fn.countAll<string>().as('failures')])
    .where('proposal_id', 'in', proposalIds)
    .where('status', '=', 'FAILED')
    .where(sql`partner->>'keyHash'`, '=', keyHash)
    .groupBy('proposal_id')
    .execute();
  return new Map(rows.map(({ proposal_id, failures }) => [proposal_id, Number(failures)]));
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

/** Whether the liquidation of a vault was sent that is not in a block. */
export function isLiquidationSent(tx: Transaction, vaultId: string): Promise<boolean> {
  return hasLiquidation(tx, vaultId, 'SENT');
}

/** Whether an execution that liquidates the vault is on the ledger. */
export function isLiquidated(tx: Transaction, vaultId: string): Promise<boolean> {
  return hasLiquidation(tx, vaultId, 'EXECUTED');
}

async function hasLiquidation(tx: Transaction, vaultId: string, status: ExecutionStatus): Promise<boolean> {
  const query = tx
    .selectFrom('executions')
    .select('id')
    .where('vault_id', '=', vaultId)
    .where('type', '=', 'LIQUIDATE');
  return (await query.where('status', '=', status).limit(1).executeTakeFirst()) !== undefined;
}

/** The signed bytes of the executions that liquidate a vault, newest first; a rollback may have undone some for good. */
export async function signedLiquidations(db: Db, vaultId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('executions')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'executions.transaction_id')
    .select('chain_transactions.signed_cbor')
    .where('executions.vault_id', '=', vaultId)
    .where('executions.type', '=', 'LIQUIDATE')
    .where('chain_transactions.signed_cbor', 'is not', null)
    .orderBy('chain_transactions.id', 'desc')
    .execute();
  return rows.flatMap(({ signed_cbor: bytes }) => bytes ?? []);
}
