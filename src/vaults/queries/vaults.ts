import { type Selectable, sql } from 'kysely';
import {
  readCosigners,
  storedCosigners,
  readCustomPrice,
  storedCustomPrice,
  readCustody,
} from '../../platform/database/stored-json.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import type { VaultsTable } from '../../platform/database/tables/vaults.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import { readTypes, storedTypes } from '../../types/queries.ts';
import type { VaultCustody, RegisteredCosigners, TerminationReason, VaultStatus, VaultTerms } from '../rules/vault.ts';

export interface Vault {
  readonly id: string;
  readonly name: string;
  readonly status: VaultStatus;
  readonly terms: VaultTerms;
  readonly createdBy: string;
  /** Encrypted; read by ADMIN only. */
  readonly adminEmail: object | null;
  /** The governance fields as requested, except the thresholds, which are in `terms`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Guards its custody, its liquidity share and its pot. */
  readonly vaultKeyHash: string;
  /** Guards its deposits and its settlement: the key that it was created with. */
  readonly settlementKeyHash: string;
  readonly policyKeyHash: string;
  /** Null when it registered none; the custody script names their key hashes (design D20). */
  readonly cosigners: RegisteredCosigners | null;
  readonly contractAddress: string;
  /** Oldest first; what is left there moves to `contractAddress`. */
  readonly formerCustodies: readonly VaultCustody[];
  readonly settlementAddress: string;
  /** Of the vault's own NFT; it changes when the creation transaction is built again. */
  readonly policyId: string;
  /** Null until the mint is built, and certain when the mint is final (design D43). */
  readonly ftUnit: string | null;
  /** T (design D20), and its slot in the scripts. */
  readonly settlesBy: Instant;
  readonly settlesBySlot: number;
  readonly creationConfirmedAt: Instant | null;
  readonly cancelRequestedAt: Instant | null;
  /** Why the vault will end, while its deposits are still being returned. */
  readonly failedBecause: TerminationReason | null;
  readonly terminationReason: TerminationReason | null;
  /** Whether holders of a vault that ends can claim, and decide sales. */
  readonly claimsOpen: boolean;
  /** Its rotation that is announced or runs; null for none. */
  readonly rotationId: string | null;
  /** Whether a rotation runs: executions and the end of the vault wait. */
  readonly isRotating: boolean;
  readonly lockedAt: Instant | null;
  readonly terminatedAt: Instant | null;
  readonly countedAssets: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewVault = Omit<
  Vault,
  | 'status'
  | 'settlementKeyHash'
  | 'formerCustodies'
  | 'creationConfirmedAt'
  | 'cancelRequestedAt'
  | 'failedBecause'
  | 'terminationReason'
  | 'claimsOpen'
  | 'rotationId'
  | 'isRotating'
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
      ...storedTypes(terms),
      status: 'DRAFT',
      created_by: vault.createdBy,
      admin_email: vault.adminEmail === null ? null : JSON.stringify(vault.adminEmail),
      asset_whitelist: [...terms.assetWhitelist],
      contributor_whitelist: [...terms.contributorWhitelist],
      investor_whitelist: [...terms.investorWhitelist],
      investor_list_enabled: terms.investorListEnabled,
      valuation_type: terms.valuationType,
      floor_price_percentage: Number(terms.floorPricePercentage),
      custom_prices: JSON.stringify(terms.customPrices.map(storedCustomPrice)),
      max_assets: terms.maxAssets,
      max_share: Number(terms.maxShare),
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
      custody: vault.cosigners === null ? null : JSON.stringify(storedCosigners(vault.cosigners)),
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

/** A vault for its readers; null also for one that was deleted. */
export async function findVault(db: Db | Transaction, vaultId: string): Promise<Vault | null> {
  const query = db.selectFrom('vaults').selectAll().where('id', '=', vaultId).where('deleted_at', 'is', null);
  const row = await query.executeTakeFirst();
  return row ? readVault(row) : null;
}

/** Throws when there is no such vault. */
export async function getVault(db: Db | Transaction, vaultId: string): Promise<Vault> {
  return readVault(await db.selectFrom('vaults').selectAll().where('id', '=', vaultId).executeTakeFirstOrThrow());
}

/** As `getVault`, and locks the row until the transaction ends. */
export async function lockVaultRow(tx: Transaction, vaultId: string): Promise<Vault> {
  return readVault(
    await tx.selectFrom('vaults').selectAll().where('id', '=', vaultId).forUpdate().executeTakeFirstOrThrow(),
  );
}

export type VaultRow = Selectable<VaultsTable>;

/** Reads a row of this table. */
export function readVault(row: VaultRow): Vault {
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return decodeRow('vaults', row.id, () => ({
    id: row.id,
    name: row.name,
    status: row.status,
    terms: readTerms(row),
    createdBy: row.created_by,
    adminEmail: row.admin_email,
    metadata: row.metadata,
    vaultKeyHash: row.vault_key_hash,
    settlementKeyHash: row.settlement_key_hash,
    policyKeyHash: row.policy_key_hash,
    cosigners: row.custody && readCosigners(row.custody),
    contractAddress: row.contract_address,
    formerCustodies: (row.former_custodies ?? []).map(readCustody),
    settlementAddress: row.settlement_address,
    policyId: row.policy_id,
    ftUnit: row.ft_unit,
    settlesBy: instant(row.settles_by),
    settlesBySlot: Number(row.settles_by_slot),
    creationConfirmedAt: at(row.creation_confirmed_at),
    cancelRequestedAt: at(row.cancel_requested_at),
    failedBecause: row.failed_because,
    terminationReason: row.termination_reason,
    claimsOpen: row.claims_open,
    rotationId: row.rotation_id,
    isRotating: row.is_rotating,
    lockedAt: at(row.locked_at),
    terminatedAt: at(row.terminated_at),
    countedAssets: row.counted_assets,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  }));
}

function readTerms(row: Selectable<VaultsTable>): VaultTerms {
  const points = (value: number | string) => basisPoints(BigInt(value));
  const { governance, termination } = row;
  return {
    ...readTypes(row),
    assetWhitelist: row.asset_whitelist,
    contributorWhitelist: row.contributor_whitelist,
    investorWhitelist: row.investor_whitelist,
    investorListEnabled: row.investor_list_enabled,
    valuationType: row.valuation_type,
    floorPricePercentage: points(row.floor_price_percentage),
    customPrices: (row.custom_prices ?? []).map(readCustomPrice),
    maxAssets: row.max_assets,
    maxShare: points(row.max_share),
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
    termination: readTermination({ ...termination, fdp: row.changed_fdp ?? termination.fdp }),
  };
}

function readTermination({
  type,
  fdp,
  duration,
  ...ends
}: Selectable<VaultsTable>['termination']): VaultTerms['termination'] {
  const deviation = basisPoints(BigInt(fdp));
  return type === 'DAO' ? { ...ends, type, fdp: deviation } : { ...ends, type, fdp: deviation, duration };
}

function asText(amounts: object): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

export interface VaultKey {
  readonly index: number;
  readonly vaultKeyHash: string;
  readonly policyKeyHash: string;
}

/** The number of vault keys that no vault has, and the index after the last key. */
export async function countFreeVaultKeys(db: Db): Promise<{ free: number; nextIndex: number }> {
  // Two reads of an index; one pass over both would read the keys of all vaults.
  const { rows } = await sql<{ free: number; next: number }>`
    select (select count(*)::int from vault_keys where vault_id is null) as free,
      (select coalesce(max(key_index) + 1, 0)::int from vault_keys) as next`.execute(db);
  return { free: rows[0]?.free ?? 0, nextIndex: rows[0]?.next ?? 0 };
}

/** Publishes the hashes of more vault keys; an index that another worker has published keeps its hashes. */
export async function publishVaultKeys(db: Db, keys: readonly VaultKey[]): Promise<void> {
  const rows = keys.map(({ index, vaultKeyHash, policyKeyHash }) => ({
    key_index: index,
    vault_key_hash: vaultKeyHash,
    policy_key_hash: policyKeyHash,
    vault_id: null,
  }));
  await db
    .insertInto('vault_keys')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Assigns the next free vault key to a vault; returns null when there is none until the worker publishes more. */
export async function assignVaultKey(tx: Transaction, vaultId: string): Promise<VaultKey | null> {
  const free = tx
    .selectFrom('vault_keys')
    .select('key_index')
    .where('vault_id', 'is', null)
    // In the order of the index of the free keys: by `key_index` alone Postgres may read the keys of all vaults first.
    .orderBy('vault_id')
    .orderBy('key_index')
    .limit(1)
    .forUpdate()
    .skipLocked();
  const row = await tx
    .updateTable('vault_keys')
    .set({ vault_id: vaultId })
    .where('key_index', '=', free)
    .returningAll()
    .executeTakeFirst();
  return row ? { index: row.key_index, vaultKeyHash: row.vault_key_hash, policyKeyHash: row.policy_key_hash } : null;
}

/** The indexes that those of these keys are derived from that a vault has, or had before a rotation. */
export async function keyIndexesOf(db: Db, vaultId: string, keyHashes: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('vault_keys')
    .select('key_index')
    .where('vault_id', '=', vaultId)
    .where((eb) => eb.or([eb('vault_key_hash', '=', anyOf(keyHashes)), eb('policy_key_hash', '=', anyOf(keyHashes))]))
    .orderBy('key_index')
    .execute();
  return rows.map(({ key_index: index }) => index);
}

/** Those of these keys that vaults have, or had before a rotation, with the vault of each. */
export async function assignedKeys(
  db: Db,
  keyHashes: readonly string[],
): Promise<{ readonly index: number; readonly vaultId: string }[]> {
  const rows = await db
    .selectFrom('vault_keys')
    .select(['key_index as index', 'vault_id as vaultId'])
    .where('vault_id', 'is not', null)
    .where((eb) => eb.or([eb('vault_key_hash', '=', anyOf(keyHashes)), eb('policy_key_hash', '=', anyOf(keyHashes))]))
    .$narrowType<{ vaultId: string }>()
    .execute();
  return rows;
}
