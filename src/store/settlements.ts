import { type Selectable, sql } from 'kysely';
import type { CountedDistribution, ReturnedDeposit } from '../domain/settlement/counted-deposits.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Revision } from '../domain/settlement/revision.ts';
import { bulkInsert } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import { jsonWithAmountsAsText } from './stored-json.ts';
import type { SettlementsTable, StoredPlan } from './tables/settlements.ts';
import type { TransactionContext } from './transaction-context.ts';

type Plan = Omit<Extract<CountedDistribution, { kind: 'settles' }>, 'counted'>;

/** Stores the plan of a settlement, before any of its transactions exists (design D13c). */
export async function storePlan({ tx, now }: TransactionContext, vaultId: string, plan: Plan): Promise<void> {
  await tx
    .insertInto('settlements')
    .values({ vault_id: vaultId, distribution: jsonWithAmountsAsText(plan), planned_at: new Date(now) })
    .execute();
  const investors = plan.investors.map((share) => ({ ...share, kind: 'investment' as const, lovelace: lovelace(0n) }));
  const contributors = plan.contributors.map((share) => ({ ...share, kind: 'asset' as const }));
  const rows = [...investors, ...contributors].map((share, position) => ({
    vault_id: vaultId,
    deposit_id: share.id,
    deposit_kind: share.kind,
    wallet: share.wallet,
    position,
    ft: share.ft,
    lovelace: share.lovelace,
  }));
  await bulkInsert(tx, 'entitlements', entitlementColumns, rows).execute();
}

const entitlementColumns = {
  vault_id: 'uuid',
  deposit_id: 'uuid',
  deposit_kind: 'text',
  wallet: 'text',
  position: 'int',
  ft: 'numeric',
  lovelace: 'numeric',
} as const;

/** The figures of a stored plan. */
export interface PlanFigures {
  readonly plannedAt: Instant;
  readonly value: Lovelace;
  readonly invested: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly lpFt: BaseUnits;
  /** The plan as it was stored without its shares, amounts as text. */
  readonly distribution: Readonly<Record<string, unknown>>;
  /** The deposits that count in nothing and go back to their owners. */
  readonly returned: readonly ReturnedDeposit[];
  /** The revised figures, once owners have taken planned investments back. */
  readonly revision: RevisionFigures | null;
}

export interface RevisionFigures extends Omit<Revision, 'contributors'> {
  readonly revisedAt: Instant;
}

export async function findPlan(db: Db | Transaction, vaultId: string): Promise<PlanFigures | null> {
  const row = await db
    .selectFrom('settlements')
    .select(['planned_at', 'revision', 'revised_at'])
    // The shares, of which there may be thousands, are in the entitlements.
    .select(sql<StoredPlan>`distribution - '{investors,contributors}'::text[]`.as('distribution'))
    .where('vault_id', '=', vaultId)
    .executeTakeFirst();
  if (!row) return null;
  const stored = row.distribution;
  return {
    plannedAt: instant(row.planned_at),
    value: lovelace(BigInt(stored.value)),
    invested: lovelace(BigInt(stored.invested)),
    lpLovelace: lovelace(BigInt(stored.lpLovelace)),
    lpFt: baseUnits(BigInt(stored.lpFt)),
    distribution: stored,
    // Plans of before D41 was built return nothing.
    returned: stored.returned ?? [],
    revision:
      row.revision === null || row.revised_at === null ? null : readRevision(row.revision, instant(row.revised_at)),
  };
}

function readRevision(
  { invested, lpLovelace, contributorsLovelace }: NonNullable<Selectable<SettlementsTable>['revision']>,
  revisedAt: Instant,
): RevisionFigures {
  return {
    invested: lovelace(BigInt(invested)),
    lpLovelace: lovelace(BigInt(lpLovelace)),
    contributorsLovelace: lovelace(BigInt(contributorsLovelace)),
    revisedAt,
  };
}

/** Stores what a settlement pays instead of its plan; null restores the plan. */
export async function storeRevision(
  { tx, now }: TransactionContext,
  vaultId: string,
  revision: Revision | null,
): Promise<void> {
  const { contributors = [], ...figures } = revision ?? {};
  await tx
    .updateTable('settlements')
    .set({
      revision: revision === null ? null : jsonWithAmountsAsText(figures),
      revised_at: revision === null ? null : new Date(now),
    })
    .where('vault_id', '=', vaultId)
    .execute();
  await tx.updateTable('entitlements').set({ revised_lovelace: null }).where('vault_id', '=', vaultId).execute();
  await sql`update entitlements set revised_lovelace = share
    from unnest(${contributors.map(({ id }) => id)}::uuid[], ${contributors.map(({ lovelace: share }) => share)}::numeric[]) as shares(id, share)
    where vault_id = ${vaultId} and deposit_id = shares.id`.execute(tx);
}

/** When the settlement of each vault was planned; vaults without a plan are left out. */
export async function settlementPlannedAt(db: Db, vaultIds: readonly string[]): Promise<Map<string, Instant>> {
  if (vaultIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('settlements')
    .select(['vault_id', 'planned_at'])
    .where('vault_id', 'in', vaultIds)
    .execute();
  return new Map(rows.map((row) => [row.vault_id, instant(row.planned_at)]));
}
