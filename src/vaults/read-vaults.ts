import type { Caller } from '../access/rules.ts';
import type { EncryptionContext, ServiceContext } from '../context.ts';
import type { Db } from '../platform/database/database.ts';
import type { Encrypted } from '../platform/database/encryption.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { ServiceError } from '../platform/errors.ts';
import { printDuration, type Instant, ageSeconds } from '../platform/units/time.ts';
import {
  type BaseUnits,
  FULL_SHARE,
  type Lovelace,
  lovelace,
  reachesShare,
  printPercentage,
} from '../platform/units/money.ts';
import { valueVault } from '../prices/valuations.ts';
import { programmedEnd } from '../termination/rules/steps.ts';
import { findVaultRecord, type VaultRecord } from './queries/vault-records.ts';
import type { Vault } from './queries/vaults.ts';
import {
  findViewedVault,
  type ListedVault,
  listVaults,
  type VaultReader,
  type ViewedVault,
} from './queries/viewed-vaults.ts';
import { findMeasuredVault, type MeasuredVault } from './queries/wallet-vaults.ts';
import type { VaultWindows } from './queries/windows.ts';
import { type AllowedAction, allowedVaultActions, type VaultActionSnapshot } from './rules/allowed-actions.ts';
import { type PhaseView, vaultPhaseAt, type VaultPhaseSnapshot } from './rules/phase.ts';
import { type VaultStatus, governingSupply, averageQuorum, changeText } from './rules/vault.ts';
import { readableStatuses, accessOf, readerScope } from './require-vault.ts';

/** A vault with its settlement plan and its transactions. */
export interface VaultDetail extends Pick<VaultRecord, 'settlement' | 'transactions' | 'tip'> {
  readonly view: VaultView;
  /** Only for the role ADMIN; null when the creator gave none. */
  readonly adminEmail?: string | null;
}

/** A vault makes hundreds of transactions when it settles; all of those fit, and the newest others. */
export const MAX_TRANSACTIONS = 1000;

type Context = Pick<ServiceContext, 'db' | 'readingTime'> & EncryptionContext;

/** A vault that the caller may read, as it is now. */
export async function readVault(context: Context, caller: Caller, vaultId: string): Promise<VaultDetail> {
  const detail = await findVaultDetail(context, caller, vaultId);
  if (!detail) throw new ServiceError('VAULT_NOT_FOUND');
  return detail;
}

/** As `readVault`; null for a vault that is absent or hidden from the caller. */
export async function findVaultDetail(context: Context, caller: Caller, vaultId: string): Promise<VaultDetail | null> {
  const reading = { caller, now: await context.readingTime() };
  const record = await findVaultRecord(context.db, vaultId, vaultReader(reading), MAX_TRANSACTIONS);
  if (!record) return null;
  const { settlement, transactions, tip, ...viewed } = record;
  return {
    view: viewVault(viewed, reading),
    settlement,
    transactions,
    tip,
    ...(caller.roles.includes('ADMIN') && { adminEmail: decryptAdminEmail(context, viewed.vault) }),
  };
}

/** The view of a vault that the caller may read. */
export async function readVaultView(db: Db, vaultId: string, reading: Reading): Promise<VaultView> {
  const viewed = await findViewedVault(db, vaultId, vaultReader(reading));
  if (!viewed) throw new ServiceError('VAULT_NOT_FOUND');
  return viewVault(viewed, reading);
}

function decryptAdminEmail({ encryption }: EncryptionContext, { id, adminEmail }: Vault): string | null {
  if (adminEmail === null) return null;
  return encryption.decrypt(adminEmail as Encrypted, { table: 'vaults', column: 'admin_email', id });
}

interface VaultListQuery {
  readonly status?: VaultStatus | undefined;
  /** Name of a vault type. */
  readonly type?: string | undefined;
  /** Wallet address of the admin. */
  readonly createdBy?: string | undefined;
  readonly page: Page<'createdAt' | 'updatedAt' | 'name' | 'status'>;
}

interface VaultList {
  readonly vaults: readonly VaultView<ListedVault>[];
  /** The number of vaults on all pages. */
  readonly count: PageCount;
  readonly now: Instant;
}

/** A page of the vaults that the caller may read. */
export async function listReadableVaults(
  { db, readingTime }: ServiceContext,
  caller: Caller,
  { status: wanted, type, createdBy, page }: VaultListQuery,
): Promise<VaultList> {
  const reading = { caller, now: await readingTime() };
  const statuses = readableStatuses(caller).filter((status) => wanted === undefined || status === wanted);
  const { vaults, count } = await listVaults(db, { statuses, type, createdBy }, vaultReader(reading), page);
  return { vaults: vaults.map((viewed) => viewVault(viewed, reading)), count, now: reading.now };
}

/** A vault with its phase at `now`, and what its reader may do. */
export type VaultView<Viewed extends Vault = Vault> = PhaseView &
  Pick<ViewedVault<Viewed>, 'vault' | 'windows' | 'holds' | 'termination' | 'returns'> & {
    readonly allowedActions: readonly AllowedAction[];
    readonly now: Instant;
  };

/** Who reads, and when. */
interface Reading {
  readonly caller: Caller;
  readonly now: Instant;
}

/** What the statements that read vaults have to know about a reading. */
function vaultReader({ caller, now }: Reading): VaultReader {
  return { scope: readerScope(caller), wallet: caller.wallet, now };
}

/** The view of a vault for a caller. */
function viewVault<Viewed extends Vault>(
  {
    vault,
    windows,
    holds,
    settlementPlannedAt,
    paused,
    stakedPower,
    hasAssets,
    termination,
    returns,
  }: ViewedVault<Viewed>,
  { caller, now }: Reading,
): VaultView<Viewed> {
  const actor = {
    caller,
    access: accessOf(vault),
    hasAssets,
    mayPropose: mayPropose(vault, stakedPower, termination?.pot?.circulating ?? null),
    paused,
  };
  const claimDeadline = termination?.claimDeadline ?? null;
  const snapshot = { ...phaseSnapshot(vault, windows, settlementPlannedAt), claimDeadline };
  const phase = vaultPhaseAt(snapshot, now);
  return {
    vault,
    windows,
    holds,
    termination,
    returns,
    allowedActions: allowedVaultActions(
      { ...actionSnapshot(vault, windows, settlementPlannedAt !== null), claimable: termination },
      actor,
      now,
    ),
    now,
    ...phase,
  };
}

/** Whether stakes of so many base units reach the creation threshold of the vault's proposals. */
function mayPropose(vault: Vault, power: BaseUnits, circulating: BaseUnits | null): boolean {
  return reachesShare(power, vault.terms.governance.creation, governingSupply(vault, circulating));
}

/** The state of a vault that decides which actions besides claims are open. */
export function actionSnapshot(
  vault: Vault,
  { asset, investment }: VaultWindows,
  settlementStarted: boolean,
): Omit<VaultActionSnapshot, 'claimable'> {
  return {
    status: vault.status,
    terminationReason: vault.terminationReason ?? vault.failedBecause,
    claimsOpen: vault.claimsOpen,
    rotationId: vault.rotationId,
    assetWindow: asset,
    investmentWindow: investment,
    countedAssets: vault.countedAssets,
    maxAssets: vault.terms.maxAssets,
    settlementStarted,
  };
}

function phaseSnapshot(
  vault: Vault,
  { asset, investment }: VaultWindows,
  settlementPlannedAt: Instant | null,
): Omit<VaultPhaseSnapshot, 'claimDeadline'> {
  return {
    status: vault.status,
    failedBecause: vault.failedBecause,
    assetWindow: asset,
    investmentWindow: investment,
    settlementStarted: settlementPlannedAt !== null,
    settlesBy: vault.settlesBy,
    programmedEnd: programmedEnd(vault.terms, vault.lockedAt),
  };
}

/** The spec's metrics of a vault (design D39c). */
interface VaultMetrics {
  readonly initial: Lovelace;
  readonly current: Lovelace;
  readonly change: string;
  readonly uniqueVoters: number;
  readonly averageQuorum: string;
  readonly proposals: number;
  readonly createdAt: Instant;
  readonly lockedAt: Instant | null;
  readonly age: string;
}

/** Reads the metrics of a vault. */
export async function readMetrics(
  { db, readingTime }: ServiceContext,
  caller: Caller,
  vaultId: string,
): Promise<VaultMetrics> {
  const vault = await findMeasuredVault(db, vaultId, readerScope(caller));
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  const { createdAt, lockedAt, participation } = vault;
  const now = await readingTime();
  const initial = initialValue(vault);
  const current = valueVault(vault, now).totals.total;
  return {
    initial,
    current,
    change: changeText(initial, current),
    uniqueVoters: participation.uniqueVoters,
    averageQuorum: `${printPercentage(averageQuorum(participation.turnouts))}%`,
    proposals: participation.proposals,
    createdAt,
    lockedAt,
    age: printDuration(ageSeconds(createdAt, now)),
  };
}

/** V of the settlement; before, the value of what was locked first, with the vault's percentage (design D12). */
function initialValue({ settled, firstLockedValue, terms }: MeasuredVault): Lovelace {
  if (settled !== null) return settled.total;
  return lovelace(((firstLockedValue ?? 0n) * terms.floorPricePercentage) / FULL_SHARE);
}
