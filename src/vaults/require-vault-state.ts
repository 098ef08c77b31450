import type { Caller } from '../access/rules/caller.ts';
import { fieldError, ServiceError } from '../platform/errors/errors.ts';
import { isoText } from '../platform/units/instant.ts';
import { requireOpen, type Window, type WindowKind } from './rules/window.ts';
import type { PausedArea } from '../operations/rules/pause.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Vault } from './queries/vaults.ts';
import { getWindows, holdWindowOpen } from './queries/windows.ts';
import type { ServiceContext } from '../context.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import { requireReadableVault } from './vault-access.ts';
import type { Deadline } from '../cardano/ledger/deadline.ts';
import { governanceRefusal, isRefusedWhileEnding } from '../proposals/rules/governed-vault.ts';
import type { RequestedEffect } from '../proposals/rules/requested-effect.ts';

export interface OpenWindow {
  readonly vault: Vault;
  readonly window: Window;
}

/** What a deposit into each window belongs to. */
const areas = { asset: 'contribution', investment: 'investment' } as const satisfies Record<WindowKind, PausedArea>;

/** As `requireOpenWindow`, for a deposit; throws OPERATION_PAUSED before all else. */
export async function requireOpenForDeposits(
  context: TransactionContext,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<OpenWindow> {
  await requireNotPaused(context.tx, areas[kind]);
  return requireOpenWindow(context, caller, vaultId, kind);
}

/**
 * The vault and its open window, which cannot close before the unit of work ends. Throws VAULT_NOT_FOUND, VAULT_ALREADY_ENDED
 * and the window's _NOT_OPEN or _CLOSED.
 */
export async function requireOpenWindow(
  context: TransactionContext,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<OpenWindow> {
  const vault = await requireReadableVault({ db: context.tx }, caller, vaultId);
  requireVaultNotEnded(vault);
  return { vault, window: await holdWindowOpen(context, vaultId, kind) };
}

/** The vault, while its window is open for deposits. Throws as `requireOpenForDeposits`, without keeping the window from closing. */
export async function requireVaultWithOpenWindow(
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<Vault> {
  await requireNotPaused(db, areas[kind]);
  const vault = await requireReadableVault({ db }, caller, vaultId);
  requireVaultNotEnded(vault);
  requireOpen((await getWindows(db, vaultId))[kind], await readingTime());
  return vault;
}

/** Throws VAULT_ALREADY_ENDED. */
export function requireVaultNotEnded({ status, failedBecause }: Vault): void {
  if (status === 'TERMINATED' || failedBecause !== null) throw new ServiceError('VAULT_ALREADY_ENDED', { status });
}

/** Throws the _CLOSED error of the window when too little time is left for a transaction to reach a block before its end. */
export function requireTimeToLand(
  { expiresAt }: Deadline,
  { kind, startsAt, endsAt }: Window,
  { now }: TransactionContext,
): void {
  if (now < expiresAt) return;
  const code = kind === 'asset' ? 'ASSET_WINDOW_CLOSED' : 'INVESTMENT_WINDOW_CLOSED';
  throw new ServiceError(code, { startsAt: isoText(startsAt), endsAt: isoText(endsAt) });
}

/** Throws VAULT_ALREADY_ENDED, and VAULT_NOT_LOCKED before the vault has settled. */
export function requireLockedVault(vault: Vault): void {
  const refusal = governanceRefusal(vault);
  if (refusal) throw new ServiceError(refusal, { status: vault.status });
}

/** As `requireLockedVault`, for a proposal; throws ONLY_SALES_WHILE_ENDING too. */
export function requireVaultProposing(vault: Vault, effect: RequestedEffect): void {
  requireLockedVault(vault);
  if (isRefusedWhileEnding(vault, effect))
    throw fieldError(
      'ONLY_SALES_WHILE_ENDING',
      'proposal_details.action_type',
      'Only sales, and returns of staked assets, can be proposed',
    );
}

/** The unit of the vault's fractional token. Throws before its mint is built. */
export function requireFtUnit({ id, ftUnit }: Pick<Vault, 'id' | 'ftUnit'>): string {
  if (ftUnit === null) throw new Error(`the token of vault ${id} is not minted yet`);
  return ftUnit;
}
