import type { Selectable } from 'kysely';
import { type BoughtAsset, type ExecutionStatus, executionTransition } from '../rules/execution.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { ExecutionsTable } from '../../platform/database/tables/executions.ts';
import { readEffect } from '../../proposals/queries/stored-proposal.ts';
import { jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';
import type { Signer } from '../rules/required-signatures.ts';

/** An action as the client sent it. */
export interface SentAction {
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** One attempt to execute a proposal: its transaction and its cosigners never change. */
export interface Execution {
  readonly id: string;
  readonly proposalId: string;
  readonly vaultId: string;
  readonly transactionId: string;
  /** Wallet. */
  readonly frozenBy: string;
  /** The wallet that submitted it. */
  readonly executedBy: string | null;
  readonly action: SentAction;
  /** With every term decided. */
  readonly effect: ProposalEffect;
  readonly cosigners: readonly Signer[];
  /** How many of the cosigners have to sign. */
  readonly requiredCosigners: number;
  /** Buyer, seller or holder, who also signs. */
  readonly partner: Signer | null;
  /** Of a BUY. */
  readonly bought: BoughtAsset | null;
  readonly status: ExecutionStatus;
  /** The reason it was voided or failed. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  /** When its transaction reached a block; null while it is in none. */
  readonly executedAt: Instant | null;
}

export type NewExecution = Omit<Execution, 'executedBy' | 'status' | 'reason' | 'executedAt'>;

export async function insertExecution(tx: Transaction, execution: NewExecution): Promise<void> {
  const { effect, partner, bought } = execution;
  await tx
    .insertInto('executions')
    .values({
      id: execution.id,
      proposal_id: execution.proposalId,
      vault_id: execution.vaultId,
      transaction_id: execution.transactionId,
      frozen_by: execution.frozenBy,
      executed_by: null,
      action: JSON.stringify(execution.action),
      type: effect.type,
      asset_ids: [...effect.assetIds],
      terms: jsonWithAmountsAsText(effect.terms),
      cosigners: JSON.stringify(execution.cosigners),
      required_cosigners: execution.requiredCosigners,
      partner: partner && JSON.stringify(partner),
      bought: bought && jsonWithAmountsAsText(bought),
      status: 'FROZEN',
      reason: null,
      created_at: new Date(execution.createdAt),
    })
    .execute();
}

/** The execution of a transaction; null when it executes nothing. */
export async function findExecutionOfTransaction(
  db: Db | Transaction,
  transactionId: string,
): Promise<Execution | null> {
  const query = db.selectFrom('executions').selectAll().where('transaction_id', '=', transactionId);
  const row = await query.executeTakeFirst();
  return row ? readExecution(row) : null;
}

/** Locks the execution of a transaction. Throws when there is none. */
export async function lockExecutionOfTransaction(tx: Transaction, transactionId: string): Promise<Execution> {
  const query = tx.selectFrom('executions').selectAll().where('transaction_id', '=', transactionId);
  return readExecution(await query.forUpdate().executeTakeFirstOrThrow());
}

export type ExecutionChange =
  | { readonly status: 'SENT'; readonly executedBy: string; readonly direction?: Direction }
  | { readonly status: 'EXECUTED'; readonly executedAt: Instant; readonly direction?: Direction }
  | { readonly status: 'VOIDED' | 'FAILED'; readonly reason: string; readonly direction?: Direction };

/** Moves an execution to another status; throws INVALID_TRANSITION. */
export async function changeExecution(tx: Transaction, current: Execution, change: ExecutionChange): Promise<void> {
  await tx
    .updateTable('executions')
    .set({
      status: executionTransition(current.status, change.status, change.direction),
      ...('executedBy' in change && { executed_by: change.executedBy }),
      executed_at: 'executedAt' in change ? new Date(change.executedAt) : null,
      reason: 'reason' in change ? change.reason : null,
    })
    .where('id', '=', current.id)
    .execute();
}

export function readExecution(row: Selectable<ExecutionsTable>): Execution {
  return {
    id: row.id,
    proposalId: row.proposal_id,
    vaultId: row.vault_id,
    transactionId: row.transaction_id,
    frozenBy: row.frozen_by,
    executedBy: row.executed_by,
    action: row.action,
    effect: readEffect(row),
    cosigners: row.cosigners,
    requiredCosigners: row.required_cosigners,
    partner: row.partner,
    bought: row.bought === null ? null : readBought(row.bought),
    status: row.status,
    reason: row.reason,
    createdAt: instant(row.created_at),
    executedAt: row.executed_at === null ? null : instant(row.executed_at),
  };
}

function readBought({ type, price }: NonNullable<Selectable<ExecutionsTable>['bought']>): BoughtAsset {
  return { type, price: { ...price, lovelace: lovelace(BigInt(price.lovelace)) } };
}
