import { sql } from 'kysely';
import { isVaultInQuarantine } from '../../ledger-follower/queries/quarantine.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Transaction, Db } from '../../platform/database/database.ts';
import type { Encrypted } from '../../platform/database/encryption.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import type { Instant } from '../../platform/units/time.ts';
import { storedCustomPrice } from '../../platform/database/stored-json.ts';
import { holdsDeposit } from '../../settlement/queries/payments.ts';
import { isOpen, transactionStates } from '../../transactions/rules.ts';
import type { Vault } from './vaults.ts';
import type { AllowListChange } from '../rules/access.ts';
import type { SettingsChange } from '../rules/settings.ts';
import { type TerminationReason, type VaultStatus, vaultTransition, type DeletionObstacle } from '../rules/vault.ts';

interface VaultChange {
  status: VaultStatus;
  terminationReason?: TerminationReason;
  direction?: Direction;
}

/** Moves a vault to another status. */
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

/** Hides a vault from its readers, and erases the email address of its admin. */
export async function markDeleted({ tx, now }: TransactionContext, vaultId: string): Promise<void> {
  const at = new Date(now);
  await tx
    .updateTable('vaults')
    .set({ deleted_at: at, updated_at: at, admin_email: null })
    .where('id', '=', vaultId)
    .execute();
}

/**
 * What Postgres knows that keeps a vault from being deleted. Its creation transaction does not: it moves nothing of anybody. A failed
 * transaction can be confirmed until it expires.
 */
export async function findDeletionObstacles(
  db: Db | Transaction,
  vaultId: string,
  now: Instant,
): Promise<DeletionObstacle[]> {
  const { rows } = await sql<{ obstacle: DeletionObstacle }>`
    select 'stakes' as obstacle where exists (select from stakes where vault_id = ${vaultId} and status <> 'RELEASED')
    union all
    select 'proposals' where exists (select from proposals where vault_id = ${vaultId} and released_at is null)
    union all
    select 'transactions' where exists (
      select from chain_transactions where vault_id = ${vaultId} and kind <> 'create_vault'
        and (state = any(${transactionStates.filter(isOpen)}) or (state = 'failed' and expires_at > ${new Date(now)})))
    union all
    select 'unsolicited_outputs' where exists (
      select from unsolicited_outputs where vault_id = ${vaultId} and gone_at is null and returned_at is null)
  `.execute(db);
  return [
    ...((await holdsDeposit(db, vaultId)) ? ['deposits' as const] : []),
    ...rows.map(({ obstacle }) => obstacle),
    ...((await isVaultInQuarantine(db, vaultId)) ? ['quarantine' as const] : []),
  ];
}

/** Ids of deleted vaults that have ended and still have rows, in any order, so that none keeps the others waiting. */
export async function vaultsToErase(db: Db, limit: number): Promise<string[]> {
  const query = db
    .selectFrom('vaults')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('erased_at', 'is', null)
    .where('status', '=', 'TERMINATED');
  const rows = await query
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` rows that belong to a vault; returns how many, 0 when none is left. */
export async function deleteVaultRows(db: Db, vaultId: string, limit: number): Promise<number> {
  const ofVault = sql`vault_id = ${vaultId}`;
  const ofItsProposals = sql`proposal_id in (select id from proposals where vault_id = ${vaultId})`;
  const ofItsTransactions = sql`transaction_id in (select id from chain_transactions where vault_id = ${vaultId})`;
  // Rows come before those they refer to, so that a statement deletes no more by cascades than the stakes that votes use.
  const parts = [
    ['votes', ofItsProposals],
    ['endorsements', ofItsProposals],
    ['executions', ofVault],
    ['proposals', ofVault],
    ['stakes', ofVault],
    ['claims', ofVault],
    ['transaction_deposits', ofItsTransactions],
    ['entitlements', ofVault],
    ['settlements', ofVault],
    ['reclaim_checks', ofVault],
    ['watched_addresses', ofVault],
    ['investments', ofVault],
    ['assets', ofVault],
    ['holds', ofVault],
    ['vault_valuations', ofVault],
    ['windows', ofVault],
  ] as const;
  for (const [name, condition] of parts) {
    const table = sql.table(name);
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${limit}))`.execute(
      db,
    );
    if (numAffectedRows > 0n) return Number(numAffectedRows);
  }
  return 0;
}

/** Records that nothing belongs to a deleted vault any more, and removes what its creator wrote. */
export async function markErased(db: Db, vaultId: string, now: Instant): Promise<void> {
  await db
    .updateTable('vaults')
    .set({ erased_at: new Date(now), name: '', metadata: JSON.stringify({}) })
    .where('id', '=', vaultId)
    .execute();
}

/** Whether the rows of a deleted vault are gone. */
export async function isVaultErased(tx: Transaction, vaultId: string): Promise<boolean> {
  const query = tx.selectFrom('vaults').select('id').where('id', '=', vaultId).where('erased_at', 'is not', null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** A page of the encrypted email addresses of vaults' admins that are not under this key, in the order of the vaults' ids. */
export async function emailsUnderAnotherKey(
  db: Db,
  keyId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ vaultId: string; email: Encrypted }[]> {
  const rows = await db
    .selectFrom('vaults')
    .select(['id', 'admin_email'])
    .where('admin_email', 'is not', null)
    .where(sql<boolean>`admin_email ->> 'key' is distinct from ${keyId}`)
    .$if(after !== null, (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, admin_email: email }) => ({ vaultId: id, email: email as Encrypted }));
}

/** Replaces an encrypted email address, unless it is another one by now; returns whether it did. */
export async function replaceAdminEmail(
  db: Db,
  vaultId: string,
  before: Encrypted,
  email: Encrypted,
): Promise<boolean> {
  const replaced = await db
    .updateTable('vaults')
    .set({ admin_email: JSON.stringify(email) })
    .where('id', '=', vaultId)
    .where(sql<boolean>`admin_email = ${JSON.stringify(before)}::jsonb`)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}
