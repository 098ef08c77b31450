import { type Selectable, sql } from 'kysely';
import {
  readCosigners,
  type StoredCosigners,
  jsonDate,
  type JsonRow,
  jsonWithAmountsAsText,
} from '../platform/database/stored-json.ts';
import type { Signer } from './rules/cosigners.ts';
import { type BoughtAsset, type ExecutionStatus, executionTransition } from './rules/execution.ts';
import { ledgerTip } from '../ledger-follower/queries/blocks.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Page } from '../platform/database/page.ts';
import type { ExecutionsTable } from '../platform/database/tables/governance.ts';
import type { ChainTransactionsTable } from '../platform/database/tables/ledger.ts';
import type { Direction } from '../platform/states.ts';
import { type Instant, instant } from '../platform/units/time.ts';
import { lovelace, type BaseUnits, baseUnits } from '../platform/units/money.ts';
import { type Proposal, readEffect, readThresholds } from '../proposals/queries/proposals.ts';
import type { ProposalEffect } from '../proposals/rules/effects.ts';
import { governingSupplyOfRow, stakersWith } from '../staking/queries/vault-stakes.ts';
import { type ChainTransaction, readTransaction } from '../transactions/queries/transactions.ts';
import type { LedgerTip } from '../transactions/rules.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { isVaultVisible, type ReaderScope } from '../vaults/queries/viewed-vaults.ts';

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

type ExecutionChange =
  | { readonly status: 'SENT'; readonly executedBy: string; readonly direction?: Direction }
  | { readonly status: 'EXECUTED'; readonly executedAt: Instant; readonly direction?: Direction }
  | { readonly status: 'VOIDED' | 'FAILED'; readonly reason: string; readonly direction?: Direction };

/** Moves an execution to another status. */
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

/** What decides who may cosign a proposal, and a page of the wallets whose stakes are large enough. */
interface CosignedProposal {
  readonly proposal: Pick<Proposal, 'requiredCosigners' | 'thresholds'>;
  readonly vault: Pick<Vault, 'cosigners'>;
  readonly supply: BaseUnits;
  readonly ftDecimals: number;
  /** None where the vault has registered cosigners. */
  readonly stakers: readonly { readonly wallet: string; readonly power: BaseUnits }[];
  /** The number of stakers on all pages. */
  readonly total: number;
}

interface Row {
  readonly required_cosigners: number;
  readonly thresholds: Parameters<typeof readThresholds>[0];
  readonly custody: StoredCosigners | null;
  readonly supply: string;
  readonly ft_decimals: number;
  readonly total: string;
  readonly wallet: string | null;
  readonly power: string | null;
}

/** Reads in one statement who may cosign a proposal now; null when there is none in a vault that the reader may see. */
export async function listLargeStakers(
  db: Db,
  proposalId: string,
  { scope, now }: { readonly scope: ReaderScope; readonly now: Instant },
  { limit, offset, sort }: Pick<Page<'staked'>, 'limit' | 'offset' | 'sort'>,
): Promise<CosignedProposal | null> {
  const ofGoverned = (column: string) => sql`(select ${sql.raw(column)} from governed)`;
  const share = { threshold: ofGoverned("(thresholds ->> 'cosigning')::numeric"), supply: ofGoverned('supply') };
  const { rows } = await sql<Row>`
    with governed as (
        select vault_id, required_cosigners, thresholds, custody, ft_decimals, ${governingSupplyOfRow}::numeric as supply
          from proposals join vaults on vaults.id = proposals.vault_id
          where proposals.id = ${proposalId} and ${isVaultVisible(sql.ref('proposals.vault_id'), scope)}
      ),
      eligible as materialized (${stakersWith(sql`(select vault_id from governed where custody is null)`, share, now)})
    select required_cosigners, thresholds, custody, supply, ft_decimals, (select count(*) from eligible) as total, wallet, power
      from governed left join (
        select wallet, power, row_number() over (order by power ${sql.raw(sort.direction)}, wallet) as position
          from eligible order by position limit ${limit} offset ${offset}
      ) as staker on true
      order by position`.execute(db);
  const [row] = rows;
  return row
    ? {
        proposal: { requiredCosigners: row.required_cosigners, thresholds: readThresholds(row.thresholds) },
        vault: { cosigners: row.custody && readCosigners(row.custody) },
        supply: baseUnits(BigInt(row.supply)),
        ftDecimals: row.ft_decimals,
        stakers: rows.flatMap(({ wallet, power }) =>
          wallet === null || power === null ? [] : [{ wallet, power: baseUnits(BigInt(power)) }],
        ),
        total: Number(row.total),
      }
    : null;
}
