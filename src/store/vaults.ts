import { type Selectable, sql } from 'kysely';
import type { AssetType } from '../domain/asset/asset.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { baseUnits, basisPoints } from '../domain/units/money.ts';
import type {
  TerminationReason,
  TerminationTerms,
  ValuationType,
  VaultStatus,
  VaultTerms,
  VaultType,
} from '../domain/vault/vault.ts';
import { vaultTransition } from '../domain/vault/vault.ts';
import type { Direction } from '../domain/transitions.ts';
import type { Db, Transaction } from './database.ts';
import type { VaultsTable } from './tables/vaults.ts';

/** Cosigners registered at creation: their key hashes stand in the custody script (design D20). */
export interface Cosigners {
  readonly required: number;
  readonly keyHashes: readonly string[];
}

export interface Vault {
  readonly id: string;
  readonly name: string;
  readonly status: VaultStatus;
  readonly terms: VaultTerms;
  readonly createdBy: string;
  /** Encrypted; read by ADMIN only. */
  readonly adminEmail: object | null;
  /** The governance fields as they were asked for, beside the thresholds in `terms`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly vaultKeyHash: string;
  readonly policyKeyHash: string;
  readonly cosigners: Cosigners | null;
  readonly contractAddress: string;
  readonly settlementAddress: string;
  readonly policyId: string;
  readonly ftUnit: string;
  /** T (design D20), and its slot as the scripts have it. */
  readonly settlesBy: Instant;
  readonly settlesBySlot: number;
  readonly creationConfirmedAt: Instant | null;
  readonly cancelRequestedAt: Instant | null;
  /** Decided to end, while its deposits are still on their way back. */
  readonly failedBecause: TerminationReason | null;
  readonly terminationReason: TerminationReason | null;
  readonly lockedAt: Instant | null;
  readonly terminatedAt: Instant | null;
  readonly countedAssets: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewVault = Omit<
  Vault,
  | 'status'
  | 'creationConfirmedAt'
  | 'cancelRequestedAt'
  | 'failedBecause'
  | 'terminationReason'
  | 'lockedAt'
  | 'terminatedAt'
  | 'countedAssets'
  | 'updatedAt'
>;

export async function insertVault(tx: Transaction, vault: NewVault): Promise<void> {
  const { terms } = vault;
  await tx
    .insertInto('vaults')
    .values({
      id: vault.id,
      name: vault.name,
      type: terms.type,
      status: 'DRAFT',
      created_by: vault.createdBy,
      admin_email: vault.adminEmail === null ? null : JSON.stringify(vault.adminEmail),
      asset_types: [...terms.assetTypes],
      asset_whitelist: [...terms.assetWhitelist],
      contributor_whitelist: [...terms.contributorWhitelist],
      investor_whitelist: [...terms.investorWhitelist],
      valuation_type: terms.valuationType,
      floor_price_percentage: Number(terms.floorPricePercentage),
      max_assets: terms.maxAssets,
      reserve_percentage: Number(terms.reserve),
      lp_percentage: Number(terms.lpPercentage),
      ft_percentage: Number(terms.ftPercentage),
      ft_supply: terms.ftSupply,
      ft_decimals: terms.ftDecimals,
      governance: JSON.stringify(asText(terms.governance)),
      termination: JSON.stringify({ ...terms.termination, fdp: Number(terms.termination.fdp) }),
      metadata: JSON.stringify(vault.metadata),
      vault_key_hash: vault.vaultKeyHash,
      policy_key_hash: vault.policyKeyHash,
      custody: vault.cosigners === null ? null : JSON.stringify(vault.cosigners),
      contract_address: vault.contractAddress,
      settlement_address: vault.settlementAddress,
      policy_id: vault.policyId,
      ft_unit: vault.ftUnit,
      settles_by: new Date(vault.settlesBy),
      settles_by_slot: BigInt(vault.settlesBySlot),
      failed_because: null,
      termination_reason: null,
      created_at: new Date(vault.createdAt),
      updated_at: new Date(vault.createdAt),
    })
    .execute();
}

export async function findVault(db: Db | Transaction, vaultId: string): Promise<Vault | null> {
  const row = await db.selectFrom('vaults').selectAll().where('id', '=', vaultId).executeTakeFirst();
  return row ? readVault(row) : null;
}

/** A vault that has to be there; its absence is a bug of the caller. */
export async function getVault(db: Db | Transaction, vaultId: string): Promise<Vault> {
  return readVault(await db.selectFrom('vaults').selectAll().where('id', '=', vaultId).executeTakeFirstOrThrow());
}

/** As `getVault`, and keeps everyone else from changing the row until the transaction ends. */
export async function lockVaultRow(tx: Transaction, vaultId: string): Promise<Vault> {
  return readVault(
    await tx.selectFrom('vaults').selectAll().where('id', '=', vaultId).forUpdate().executeTakeFirstOrThrow(),
  );
}

export interface VaultChange {
  status: VaultStatus;
  terminationReason?: TerminationReason;
  direction?: Direction;
}

/** Moves a vault to another status; throws INVALID_TRANSITION. */
export async function changeVaultStatus(
  tx: Transaction,
  vault: Vault,
  change: VaultChange,
  now: Instant,
): Promise<void> {
  const status = vaultTransition(vault.status, change.status, change.direction);
  await tx
    .updateTable('vaults')
    .set({
      status,
      updated_at: new Date(now),
      ...(status === 'LOCKED' && { locked_at: new Date(now) }),
      ...(status === 'ACTIVE' && { locked_at: null }),
      ...(status === 'TERMINATED' && {
        terminated_at: new Date(now),
        termination_reason: change.terminationReason ?? null,
      }),
    })
    .where('id', '=', vault.id)
    .execute();
}

/** Remembers whether the creation transaction is in a block at present. */
export async function setCreationConfirmed(
  tx: Transaction,
  vaultId: string,
  confirmedAt: Instant | null,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ creation_confirmed_at: confirmedAt === null ? null : new Date(confirmedAt) })
    .where('id', '=', vaultId)
    .execute();
}

export async function requestCancel(tx: Transaction, vaultId: string, now: Instant): Promise<void> {
  const at = new Date(now);
  await tx
    .updateTable('vaults')
    .set({ cancel_requested_at: at, failed_because: 'cancelled', updated_at: at })
    .where('id', '=', vaultId)
    .execute();
}

/** Decides that a vault ends; the first reason stands. */
export async function decideFailure(
  tx: Transaction,
  vaultId: string,
  reason: TerminationReason,
  now: Instant,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ failed_because: reason, updated_at: new Date(now) })
    .where('id', '=', vaultId)
    .where('failed_because', 'is', null)
    .execute();
}

/** Takes one of the vault's places for an asset; false when there is none left. */
export async function countAsset(tx: Transaction, vaultId: string): Promise<boolean> {
  const row = await tx
    .updateTable('vaults')
    .set({ counted_assets: sql<number>`counted_assets + 1` })
    .where('id', '=', vaultId)
    .whereRef('counted_assets', '<', 'max_assets')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives back (or, undoing that, takes again) the place of an asset that left. */
export async function uncountAsset(tx: Transaction, vaultId: string, by: 1 | -1 = 1): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ counted_assets: sql<number>`counted_assets - ${by}::int` })
    .where('id', '=', vaultId)
    .execute();
}

export function readVault(row: Selectable<VaultsTable>): Vault {
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    id: row.id,
    name: row.name,
    status: row.status as VaultStatus,
    terms: readTerms(row),
    createdBy: row.created_by,
    adminEmail: row.admin_email,
    metadata: row.metadata as Record<string, unknown>,
    vaultKeyHash: row.vault_key_hash,
    policyKeyHash: row.policy_key_hash,
    cosigners: row.custody as Cosigners | null,
    contractAddress: row.contract_address,
    settlementAddress: row.settlement_address,
    policyId: row.policy_id,
    ftUnit: row.ft_unit,
    settlesBy: instant(row.settles_by),
    settlesBySlot: Number(row.settles_by_slot),
    creationConfirmedAt: at(row.creation_confirmed_at),
    cancelRequestedAt: at(row.cancel_requested_at),
    failedBecause: row.failed_because as TerminationReason | null,
    terminationReason: row.termination_reason as TerminationReason | null,
    lockedAt: at(row.locked_at),
    terminatedAt: at(row.terminated_at),
    countedAssets: row.counted_assets,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  };
}

function readTerms(row: Selectable<VaultsTable>): VaultTerms {
  const points = (value: number | string) => basisPoints(BigInt(value));
  const governance = row.governance as Record<keyof VaultTerms['governance'], string>;
  const termination = row.termination as Record<'fdp' | 'duration', number> & { type: TerminationTerms['type'] };
  const fdp = points(termination.fdp);
  return {
    type: row.type as VaultType,
    assetTypes: row.asset_types as AssetType[],
    assetWhitelist: row.asset_whitelist,
    contributorWhitelist: row.contributor_whitelist,
    investorWhitelist: row.investor_whitelist,
    valuationType: row.valuation_type as ValuationType,
    floorPricePercentage: points(row.floor_price_percentage),
    maxAssets: row.max_assets,
    reserve: points(row.reserve_percentage),
    lpPercentage: points(row.lp_percentage),
    ftPercentage: points(row.ft_percentage),
    ftSupply: baseUnits(BigInt(row.ft_supply)),
    ftDecimals: row.ft_decimals,
    governance: {
      creation: points(governance.creation),
      start: points(governance.start),
      vote: points(governance.vote),
      execution: points(governance.execution),
      cosigning: points(governance.cosigning),
    },
    termination:
      termination.type === 'DAO' ? { type: 'DAO', fdp } : { type: 'PROGRAMMED', fdp, duration: termination.duration },
  };
}

function asText(amounts: object): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}
