import { sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import type { AllowListChange } from '../rules/allow-list.ts';
import type { SettingsChange } from '../rules/settings.ts';
import { type TerminationReason, type VaultStatus, vaultTransition } from '../rules/vault.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Encrypted } from '../../platform/database/encrypted.ts';
import { storedCustomPrice } from '../../prices/queries/stored-custom-price.ts';
import type { Vault } from './vaults.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

export interface VaultChange {
  status: VaultStatus;
  terminationReason?: TerminationReason;
  direction?: Direction;
}

/** Moves a vault to another status; throws INVALID_TRANSITION. */
export async function changeVaultStatus(
  { tx, now }: TransactionContext,
  vault: Vault,
  change: VaultChange,
): Promise<void> {
  const status = vaultTransition(vault.status, change.status, change.direction);
  await tx
    .updateTable('vaults')
    .set({
      status,
      updated_at: new Date(now),
      ...(status === 'LOCKED' &&
        (change.direction === 'rollback'
          ? { terminated_at: null, termination_reason: null }
          : { locked_at: new Date(now) })),
      ...(status === 'ACTIVE' && { locked_at: null }),
      ...(status === 'TERMINATED' && {
        terminated_at: new Date(now),
        termination_reason: change.terminationReason ?? null,
      }),
    })
    .where('id', '=', vault.id)
    .execute();
}

/** Records whether the creation transaction is in a block at present. */
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

/** Replaces the encrypted email address of the admin; null erases it. */
export async function setAdminEmail(tx: Transaction, vaultId: string, email: Encrypted | null): Promise<void> {
  const stored = email === null ? null : JSON.stringify(email);
  await tx.updateTable('vaults').set({ admin_email: stored }).where('id', '=', vaultId).execute();
}

export async function recordCancelRequest({ tx, now }: TransactionContext, vaultId: string): Promise<void> {
  const at = new Date(now);
  await tx
    .updateTable('vaults')
    .set({ cancel_requested_at: at, failed_because: 'cancelled', updated_at: at })
    .where('id', '=', vaultId)
    .execute();
}

/** Replaces one of the allow-lists of a vault. */
export async function setAllowList(
  { tx, now }: TransactionContext,
  vaultId: string,
  { type, entries }: Pick<AllowListChange, 'type' | 'entries'>,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ [listColumns[type]]: [...entries], updated_at: new Date(now) })
    .where('id', '=', vaultId)
    .execute();
}

const listColumns = {
  ASSET: 'asset_whitelist',
  CONTRIBUTOR: 'contributor_whitelist',
  INVESTOR: 'investor_whitelist',
} as const;

/** Changes the settings of a vault that are given. */
export async function setSettings(
  { tx, now }: TransactionContext,
  { id }: Pick<Vault, 'id'>,
  { investorListEnabled, investorWhitelist, valuationType, customPrices, fdp }: SettingsChange,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({
      updated_at: new Date(now),
      ...(investorListEnabled !== undefined && { investor_list_enabled: investorListEnabled }),
      ...(investorWhitelist !== undefined && { investor_whitelist: [...investorWhitelist] }),
      ...(valuationType !== undefined && { valuation_type: valuationType }),
      ...(customPrices !== undefined && { custom_prices: JSON.stringify(customPrices.map(storedCustomPrice)) }),
      ...(fdp !== undefined && { changed_fdp: Number(fdp) }),
    })
    .where('id', '=', id)
    .execute();
}

/** Records why a vault will end, unless it has a reason already; returns whether it had none. */
export async function setFailureReason(
  context: TransactionContext,
  vaultId: string,
  reason: TerminationReason,
): Promise<boolean> {
  return (await setFailureReasons(context, [vaultId], reason)).length > 0;
}

/** As `setFailureReason`, for several vaults; returns those that had no reason. */
export async function setFailureReasons(
  { tx, now }: TransactionContext,
  vaultIds: readonly string[],
  reason: TerminationReason,
): Promise<string[]> {
  const rows = await tx
    .updateTable('vaults')
    .set({ failed_because: reason, updated_at: new Date(now) })
    .where('id', '=', anyOf(vaultIds))
    .where('failed_because', 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts more assets in a vault; returns false, and counts none, when the vault would have more than its maximum. */
export async function addToAssetCount(tx: Transaction, vaultId: string, count: number): Promise<boolean> {
  const row = await tx
    .updateTable('vaults')
    .set({ counted_assets: sql<number>`counted_assets + ${count}::int` })
    .where('id', '=', vaultId)
    .where(sql<boolean>`counted_assets + ${count}::int <= max_assets`)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts one asset less in a vault, or undoes that with `by` = -1. */
export async function decrementAssetCount(tx: Transaction, vaultId: string, by: 1 | -1 = 1): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ counted_assets: sql<number>`counted_assets - ${by}::int` })
    .where('id', '=', vaultId)
    .execute();
}

/** Clears the liquidation of a vault by an execution, unless another one on the ledger liquidates it too or its termination has begun. */
export async function revertLiquidation(
  { tx, now }: TransactionContext,
  { id, vaultId }: { readonly id: string; readonly vaultId: string },
): Promise<void> {
  const others = tx
    .selectFrom('executions')
    .select('id')
    .where('vault_id', '=', vaultId)
    .where('id', '<>', id)
    .where('type', '=', 'LIQUIDATE')
    .where('status', '=', 'EXECUTED');
  await tx
    .updateTable('vaults')
    .set({ failed_because: null, updated_at: new Date(now) })
    .where('id', '=', vaultId)
    .where('failed_because', '=', 'liquidated')
    .where((query) => query.not(query.exists(others)))
    .where((query) =>
      query.not(query.exists(query.selectFrom('terminations').select('vault_id').where('vault_id', '=', vaultId))),
    )
    .execute();
}

/** Records the policy of the vault's own NFT. */
export async function setPolicyId(tx: Transaction, vaultId: string, policyId: string): Promise<void> {
  await tx.updateTable('vaults').set({ policy_id: policyId }).where('id', '=', vaultId).execute();
}

/** Records the unit of the vault's fractional token. */
export async function setFtUnit(tx: Transaction, vaultId: string, ftUnit: string): Promise<void> {
  await tx.updateTable('vaults').set({ ft_unit: ftUnit }).where('id', '=', vaultId).execute();
}
