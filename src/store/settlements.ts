import type { Distribution } from '../domain/distribution.ts';
import type { Instant } from '../domain/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/money.ts';
import type { Db, Transaction } from './database.ts';

export type DepositKind = 'asset' | 'investment';

/** What one deposit brings its owner when the vault settles. */
export interface Entitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly wallet: string;
  readonly ft: BaseUnits;
  readonly lovelace: Lovelace;
}

type Plan = Extract<Distribution, { kind: 'settles' }>;

/** Keeps the plan before any transaction of it exists (design D13c). */
export async function storePlan(tx: Transaction, vaultId: string, plan: Plan, now: Instant): Promise<void> {
  await tx
    .insertInto('settlements')
    .values({ vault_id: vaultId, distribution: JSON.stringify(plan, amountsAsText), planned_at: new Date(now) })
    .execute();
  const investors = plan.investors.map((share) => ({ ...share, kind: 'investment', lovelace: lovelace(0n) }));
  const contributors = plan.contributors.map((share) => ({ ...share, kind: 'asset' }));
  const rows = [...investors, ...contributors].map((share, position) => ({
    vault_id: vaultId,
    deposit_id: share.id,
    deposit_kind: share.kind,
    wallet: share.wallet,
    position,
    ft: share.ft,
    lovelace: share.lovelace,
  }));
  await tx.insertInto('entitlements').values(rows).execute();
}

/** The figures of a stored plan that later steps need. */
export interface PlanFigures {
  readonly value: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly lpFt: BaseUnits;
  /** The whole plan as it was stored, amounts as text. */
  readonly distribution: Readonly<Record<string, unknown>>;
}

export async function findPlan(db: Db | Transaction, vaultId: string): Promise<PlanFigures | null> {
  const row = await db
    .selectFrom('settlements')
    .select('distribution')
    .where('vault_id', '=', vaultId)
    .executeTakeFirst();
  if (!row) return null;
  const stored = row.distribution as Record<'value' | 'lpLovelace' | 'lpFt', string>;
  return {
    value: lovelace(BigInt(stored.value)),
    lpLovelace: lovelace(BigInt(stored.lpLovelace)),
    lpFt: baseUnits(BigInt(stored.lpFt)),
    distribution: stored,
  };
}

/** Entitlements in the order they are paid: investors first, then contributors. */
export async function entitlementsOf(db: Db | Transaction, vaultId: string): Promise<Entitlement[]> {
  const rows = await db
    .selectFrom('entitlements')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    depositId: row.deposit_id,
    depositKind: row.deposit_kind as DepositKind,
    wallet: row.wallet,
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
  }));
}

export interface DepositInTransaction {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  /** What exactly the owner gets by this transaction, amounts as text. */
  readonly payment: Readonly<Record<string, unknown>>;
}

/** Remembers which deposits a batch takes, and what each owner gets by it. */
export async function tieDeposits(
  tx: Transaction,
  transactionId: string,
  deposits: readonly DepositInTransaction[],
): Promise<void> {
  const rows = deposits.map(({ depositId, depositKind, payment }) => ({
    transaction_id: transactionId,
    deposit_id: depositId,
    deposit_kind: depositKind,
    payment: JSON.stringify(payment, amountsAsText),
  }));
  await tx.insertInto('transaction_deposits').values(rows).execute();
}

export async function depositsIn(db: Db | Transaction, transactionId: string): Promise<DepositInTransaction[]> {
  const rows = await db
    .selectFrom('transaction_deposits')
    .selectAll()
    .where('transaction_id', '=', transactionId)
    .execute();
  return rows.map((row) => ({
    depositId: row.deposit_id,
    depositKind: row.deposit_kind as DepositKind,
    payment: row.payment as Record<string, unknown>,
  }));
}

/** The deposits that a live transaction of the given kind has taken already. */
export async function depositsTaken(
  db: Db | Transaction,
  vaultId: string,
  kind: 'deliver' | 'refund',
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('transaction_deposits')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'transaction_deposits.transaction_id')
    .select('deposit_id')
    .where('chain_transactions.vault_id', '=', vaultId)
    .where('chain_transactions.kind', '=', kind)
    .where('chain_transactions.state', 'not in', ['expired', 'failed'])
    .execute();
  return new Set(rows.map((row) => row.deposit_id));
}

function amountsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
