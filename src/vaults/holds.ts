import type { ActingWallet } from '../access/acting-wallet.ts';
import { recordAudit } from '../access/queries/audit-log.ts';
import type { Caller } from '../access/rules.ts';
import type { Unit, Utxo } from '../cardano/transaction.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { lockVaultRow, findVault, type Vault } from './queries/vaults.ts';
import { raiseHold, releaseHold } from './queries/windows.ts';
import type { HoldReason } from './rules/vault.ts';
import { isReadable } from './require-vault.ts';

/** Records and publishes why a due change of the vault waits (design D14). Does nothing once the vault is cancelled or failed. */
export async function holdVault(context: TransactionContext, vaultId: string, reason: HoldReason): Promise<void> {
  const { tx } = context;
  if ((await lockVaultRow(tx, vaultId)).failedBecause !== null) return;
  if (await raiseHold(context, vaultId, reason)) await publishHold(context, 'VAULT_HELD', vaultId, reason);
}

/** Ends and publishes every hold for a price: the vault has all its prices, or it has failed. */
export async function releaseVault(context: TransactionContext, vaultId: string): Promise<void> {
  for (const reason of ['stale_price', 'price_unavailable'] as const) await endHold(context, vaultId, reason);
}

/** Holds a vault, whatever its status, for something that an operator has to look at (design D45, D46). */
export async function holdForOperator(
  context: TransactionContext,
  vaultId: string,
  reason: 'quarantined' | 'repeated_failures' | 'unjustified_transaction',
): Promise<void> {
  if (await raiseHold(context, vaultId, reason)) await publishHold(context, 'VAULT_HELD', vaultId, reason);
}

/** Ends and publishes a hold of the vault; returns false when there is none. */
export async function endHold(context: TransactionContext, vaultId: string, reason: HoldReason): Promise<boolean> {
  const isHeld = await releaseHold(context.tx, vaultId, reason);
  if (isHeld) await publishHold(context, 'VAULT_RELEASED', vaultId, reason);
  return isHeld;
}

/** Ends the hold that a refused signature has raised, once an operator knows who wrote it; returns false when there is none. */
export async function endAlarmHold(context: TransactionContext, vaultId: string): Promise<boolean> {
  if (!(await endHold(context, vaultId, 'unjustified_transaction'))) return false;
  // Only who reaches the database can do this: there is no caller to name.
  await recordAudit(context, {
    action: 'VAULT_ALARM_ENDED',
    actor: { id: 'operator', type: 'SYSTEM' },
    resource: { type: 'vault', id: vaultId },
    metadata: {},
  });
  return true;
}

async function publishHold(
  context: TransactionContext,
  type: 'VAULT_HELD' | 'VAULT_RELEASED',
  vaultId: string,
  reason: HoldReason,
): Promise<void> {
  const event = { type, ...platformEventFields(vaultId), transactionHash: null, data: { reason } };
  await publish(context, { event });
}

/** Who asks for a vault, and for which wallet. */
interface HolderRequest {
  readonly vaultId: string;
  readonly holder: Pick<ActingWallet, 'address'>;
  readonly caller: Caller;
}

/**
 * The vault, for every caller who may read it and for every wallet that holds its tokens (design D8); `utxos` are the
 * wallet's, as the ledger has them.
 */
export async function requireHeldVault(
  { tx }: Pick<TransactionContext, 'tx'>,
  { vaultId, caller, holder }: HolderRequest,
  utxos: readonly Utxo[],
): Promise<Vault> {
  const vault = await findVault(tx, vaultId);
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  if (await isReadable(tx, caller, vault)) return vault;
  requireHolding(vault, holder, utxos);
  return vault;
}

/** What is asked for instead of the tokens of a vault that has none, or that is absent. Nobody has them. */
export const unknownUnit: Unit = '00'.repeat(28);

/** Throws VAULT_NOT_FOUND unless the vault exists and the holder has tokens of it among these outputs. */
export function requireHolding(
  vault: Vault | null,
  holder: HolderRequest['holder'],
  utxos: readonly Utxo[],
): asserts vault is Vault {
  const ftUnit = vault?.ftUnit ?? unknownUnit;
  // Outputs elsewhere may be anybody's: only what is at the holder's own address shows that they hold tokens.
  const own = utxos.filter(({ address }) => address === holder.address);
  if (vault === null || !own.some(({ assets }) => assets.has(ftUnit))) throw new ServiceError('VAULT_NOT_FOUND');
}
