import { type Selectable, sql } from 'kysely';
import { bulkInsert, anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime, jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { SettlementsTable, StoredPlan, EntitlementsTable } from '../../platform/database/tables/deposits.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { CountedDistribution, ReturnedDeposit, DepositKind } from '../rules/deposits.ts';
import type { Revision } from '../rules/distribution.ts';
import type { DepositRef } from '../../transactions/queries/recorded-transactions.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';

type Plan = Omit<Extract<CountedDistribution, { kind: 'settles' }>, 'counted'>;

/** Stores the plan of a settlement, before any of its transactions exists (design D13c). */
export async function storePlan({ tx, now }: TransactionContext, vaultId: string, plan: Plan): Promise<void> {
  // The shares are in the entitlements alone: they would make each read of the plan slow.
  const { investors: investorShares, contributors: contributorShares, ...figures } = plan;
  await tx
    .insertInto('settlements')
    .values({ vault_id: vaultId, distribution: jsonWithAmountsAsText(figures), planned_at: new Date(now) })
    .execute();
  const investors = investorShares.map((share) => ({ ...share, kind: 'investment' as const, lovelace: lovelace(0n) }));
  const contributors = contributorShares.map((share) => ({ ...share, kind: 'asset' as const }));
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

interface PlanFigures {
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

interface RevisionFigures extends Omit<Revision, 'contributors'> {
  readonly revisedAt: Instant;
}

export async function findPlan(db: Db | Transaction, vaultId: string): Promise<PlanFigures | null> {
  const row = await db
    .selectFrom('settlements')
    .select(['distribution', 'planned_at', 'revision', 'revised_at'])
    .where('vault_id', '=', vaultId)
    .executeTakeFirst();
  return row
    ? readPlan({
        ...row,
        plannedAt: instant(row.planned_at),
        revisedAt: row.revised_at && instant(row.revised_at),
      })
    : null;
}

interface PlanColumns {
  readonly distribution: StoredPlan;
  readonly revision: Selectable<SettlementsTable>['revision'];
  readonly plannedAt: Instant;
  readonly revisedAt: Instant | null;
}

function readPlan({ distribution: stored, revision, plannedAt, revisedAt }: PlanColumns): PlanFigures {
  return {
    plannedAt,
    value: lovelace(BigInt(stored.value)),
    invested: lovelace(BigInt(stored.invested)),
    lpLovelace: lovelace(BigInt(stored.lpLovelace)),
    lpFt: baseUnits(BigInt(stored.lpFt)),
    distribution: stored,
    returned: stored.returned,
    revision: revision === null || revisedAt === null ? null : readRevision(revision, revisedAt),
  };
}

/** A stored settlement plan and the number of its entitlements. */
export interface PlannedSettlement {
  readonly plan: PlanFigures;
  readonly entitlementCount: number;
}

type PlannedSettlementJson = Omit<PlanColumns, 'plannedAt' | 'revisedAt'> & {
  readonly plannedAt: JsonTime;
  readonly revisedAt: JsonTime | null;
  readonly entitlementCount: number;
};

/** The planned settlement of a vault as a column of a statement that reads vaults. */
export const plannedSettlement = sql<PlannedSettlementJson | null>`(select json_build_object(
  'distribution', distribution, 'revision', revision, 'plannedAt', planned_at,
  'revisedAt', revised_at, 'entitlementCount', (select count(*) from entitlements where entitlements.vault_id = vaults.id)
  ) from settlements where vault_id = vaults.id)`;

/** Reads the column `plannedSettlement`; null until the settlement is planned. */
export function readPlannedSettlement(json: PlannedSettlementJson | null): PlannedSettlement | null {
  if (json === null) return null;
  const { plannedAt, revisedAt, entitlementCount, ...stored } = json;
  const times = { plannedAt: jsonInstant(plannedAt), revisedAt: revisedAt === null ? null : jsonInstant(revisedAt) };
  return { plan: readPlan({ ...stored, ...times }), entitlementCount };
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
  const revised = tx
    .updateTable('entitlements')
    .where('vault_id', '=', vaultId)
    .where('revised_lovelace', 'is not', null);
  await revised.set({ revised_lovelace: null }).execute();
  await sql`update entitlements set revised_lovelace = share
    from unnest(${contributors.map(({ id }) => id)}::uuid[], ${contributors.map(({ lovelace: share }) => share)}::numeric[]) as shares(id, share)
    where vault_id = ${vaultId} and deposit_id = shares.id`.execute(tx);
}

/** What the owner of one deposit receives when the vault settles. */
export interface Entitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly wallet: string;
  readonly ft: BaseUnits;
  /** As planned. */
  readonly lovelace: Lovelace;
  /** The amount to pay: as planned, or as the settlement was revised. */
  readonly owed: Lovelace;
  /** Whether the owner has reclaimed the deposit alone after T; then the entitlement stays in custody (design D13c). */
  readonly reclaimed: boolean;
}

export async function entitlementsOfDeposits(
  db: Db,
  vaultId: string,
  deposits: readonly DepositRef[],
): Promise<ReadonlyMap<string, Entitlement>> {
  if (deposits.length === 0) return new Map();
  const ids = deposits.map(({ depositId }) => depositId);
  const rows = await withRelease(entitlementsOf(db, vaultId).where('deposit_id', '=', anyOf(ids))).execute();
  return new Map(rows.map((row) => [row.deposit_id, readEntitlement(row)]));
}

/** The entitlements of a vault's contributors in the order of payment: no more than a vault may have assets. */
export async function contributorEntitlements(tx: Transaction, vaultId: string): Promise<Entitlement[]> {
  const contributors = entitlementsOf(tx, vaultId).where('deposit_kind', '=', 'asset');
  return (await withRelease(contributors).orderBy('position').execute()).map(readEntitlement);
}

const columns = { position: 'position' } as const;

/** A page of the entitlements of a vault, or of a wallet in it, and the total; null when the vault is hidden from the reader. */
export async function listEntitlements(
  db: Db,
  { vaultId, wallet }: { readonly vaultId: string; readonly wallet?: string | undefined },
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ entitlements: Entitlement[]; count: PageCount } | null> {
  const matching = entitlementsOf(db, vaultId).where((eb) => eb.and(givenFields({ 'entitlements.wallet': wallet })));
  const collection = { columns, tieBreak: ['deposit_id'], visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, withRelease(matching), matching, collection, page);
  return isVisible ? { entitlements: rows.map(readEntitlement), count } : null;
}

function entitlementsOf(db: Db | Transaction, vaultId: string) {
  return db.selectFrom('entitlements').where('entitlements.vault_id', '=', vaultId);
}

function withRelease(matching: ReturnType<typeof entitlementsOf>) {
  return matching
    .leftJoin('assets', 'assets.id', 'entitlements.deposit_id')
    .leftJoin('investments', 'investments.id', 'entitlements.deposit_id')
    .selectAll('entitlements')
    .select(({ fn }) => fn.coalesce('assets.release_reason', 'investments.release_reason').as('released'));
}

function readEntitlement(row: Selectable<EntitlementsTable> & { readonly released: string | null }): Entitlement {
  return {
    depositId: row.deposit_id,
    depositKind: row.deposit_kind,
    wallet: row.wallet,
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
    owed: lovelace(BigInt(row.revised_lovelace ?? row.lovelace)),
    reclaimed: row.released === 'reclaimed',
  };
}
