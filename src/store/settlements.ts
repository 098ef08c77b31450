import type { Distribution } from '../domain/settlement/distribution.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Revision } from '../domain/settlement/revision.ts';
import type { Db, Transaction } from './database.ts';

export type DepositKind = 'asset' | 'investment';

/** What one deposit brings its owner when the vault settles. */
export interface Entitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly wallet: string;
  readonly ft: BaseUnits;
  /** As planned. */
  readonly lovelace: Lovelace;
  /** As it is paid: what is planned, unless the settlement was revised. */
  readonly owed: Lovelace;
  /** Whether its owner has taken the deposit back alone after T: then what it brings is kept in custody (design D13c). */
  readonly reclaimed: boolean;
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
  readonly invested: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly lpFt: BaseUnits;
  /** The whole plan as it was stored, amounts as text. */
  readonly distribution: Readonly<Record<string, unknown>>;
  /** What is paid instead, once planned investments have been taken back. */
  readonly revision: RevisionFigures | null;
}

export interface RevisionFigures extends Omit<Revision, 'contributors'> {
  readonly revisedAt: Instant;
}

export async function findPlan(db: Db | Transaction, vaultId: string): Promise<PlanFigures | null> {
  const row = await db
    .selectFrom('settlements')
    .select(['distribution', 'revision', 'revised_at'])
    .where('vault_id', '=', vaultId)
    .executeTakeFirst();
  if (!row) return null;
  const stored = row.distribution as Record<'value' | 'invested' | 'lpLovelace' | 'lpFt', string>;
  return {
    value: lovelace(BigInt(stored.value)),
    invested: lovelace(BigInt(stored.invested)),
    lpLovelace: lovelace(BigInt(stored.lpLovelace)),
    lpFt: baseUnits(BigInt(stored.lpFt)),
    distribution: stored,
    revision: row.revised_at === null ? null : readRevision(row.revision, instant(row.revised_at)),
  };
}

function readRevision(stored: unknown, revisedAt: Instant): RevisionFigures {
  const { invested, lpLovelace, contributorsLovelace } = stored as Record<keyof Omit<Revision, 'contributors'>, string>;
  return {
    invested: lovelace(BigInt(invested)),
    lpLovelace: lovelace(BigInt(lpLovelace)),
    contributorsLovelace: lovelace(BigInt(contributorsLovelace)),
    revisedAt,
  };
}

/** Keeps what a settlement pays instead of what is planned; null when the plan holds again. */
export async function storeRevision(
  tx: Transaction,
  vaultId: string,
  revision: Revision | null,
  now: Instant,
): Promise<void> {
  const { contributors = [], ...figures } = revision ?? {};
  await tx
    .updateTable('settlements')
    .set({
      revision: revision === null ? null : JSON.stringify(figures, amountsAsText),
      revised_at: revision === null ? null : new Date(now),
    })
    .where('vault_id', '=', vaultId)
    .execute();
  await tx.updateTable('entitlements').set({ revised_lovelace: null }).where('vault_id', '=', vaultId).execute();
  for (const { id, lovelace: share } of contributors) {
    await tx
      .updateTable('entitlements')
      .set({ revised_lovelace: share })
      .where('vault_id', '=', vaultId)
      .where('deposit_id', '=', id)
      .execute();
  }
}

/** Entitlements in the order they are paid: investors first, then contributors. */
export async function entitlementsOf(db: Db | Transaction, vaultId: string): Promise<Entitlement[]> {
  const rows = await db
    .selectFrom('entitlements')
    .leftJoin('assets', 'assets.id', 'entitlements.deposit_id')
    .leftJoin('investments', 'investments.id', 'entitlements.deposit_id')
    .selectAll('entitlements')
    .select(({ fn }) => fn.coalesce('assets.release_reason', 'investments.release_reason').as('released'))
    .where('entitlements.vault_id', '=', vaultId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    depositId: row.deposit_id,
    depositKind: row.deposit_kind as DepositKind,
    wallet: row.wallet,
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
    owed: lovelace(BigInt(row.revised_lovelace ?? row.lovelace)),
    reclaimed: row.released === 'reclaimed',
  }));
}

export interface DepositInTransaction {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  /** What exactly the owner gets by this transaction, amounts as text. */
  readonly payment: Readonly<Record<string, unknown>>;
}

/** Remembers which deposits a batch takes, and what each owner gets by it. */
export async function linkDeposits(
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

export async function depositsInTransaction(
  db: Db | Transaction,
  transactionId: string,
): Promise<DepositInTransaction[]> {
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
export async function depositsInLiveTransactions(
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
