import type { Selectable } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import type { VaultCustody } from '../rules/vault-custody.ts';
import type { RegisteredCosigners } from '../rules/registered-cosigners.ts';
import type { TerminationReason, VaultStatus, VaultTerms } from '../rules/vault.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { readCosigners, storedCosigners } from '../../executions/queries/stored-cosigners.ts';
import { readCustody } from '../../rotation/queries/stored-custody.ts';
import { readCustomPrice, storedCustomPrice } from '../../prices/queries/stored-custom-price.ts';
import { readTypes, storedTypes } from '../../types/queries/stored-types.ts';
import type { VaultsTable } from '../../platform/database/tables/vaults.ts';

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
  /** Of the vault's own NFT; it changes when the creation transaction is built anew. */
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

/** Reads a row of this table. Throws UnreadableRow. */
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
