import type { Caller } from '../access/rules/caller.ts';
import { fieldError, ServiceError } from '../platform/errors/errors.ts';
import { isoText } from '../platform/units/instant.ts';
import { requireOpen, type Window, type WindowKind } from './rules/window.ts';
import type { PausedArea } from '../operations/rules/pause.ts';
import { depositsRead, type DepositsRead, type HeldWindow, heldWindowRead } from '../assets/queries/held-windows.ts';
import { run, runAll } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { type Vault, vaultRead } from './queries/vaults.ts';
import { requireWindows, windowsRead } from './queries/windows.ts';
import type { ServiceContext } from '../context.ts';
import { requireNotAmong } from '../operations/require-not-paused.ts';
import { requireReadable } from './vault-access.ts';
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
  return requireDepositsAmong(context, caller, kind, await run(context.tx, depositsRead(context.tx, vaultId, kind)));
}

/** As `requireOpenForDeposits`, when its statements have been sent. */
export function requireDepositsAmong(
  context: TransactionContext,
  caller: Caller,
  kind: WindowKind,
  { pauses, held }: DepositsRead,
): Promise<OpenWindow> {
  requireNotAmong(pauses, areas[kind]);
  return requireOpenAmong(context, caller, kind, held);
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
  return requireOpenAmong(context, caller, kind, await run(context.tx, heldWindowRead(context.tx, vaultId, kind)));
}

async function requireOpenAmong(
  { tx, now }: TransactionContext,
  caller: Caller,
  kind: WindowKind,
  { vault: found, windows }: HeldWindow,
): Promise<OpenWindow> {
  const vault = await requireReadable({ db: tx }, caller, found);
  requireVaultNotEnded(vault);
  const window = requireWindows(vault.id, windows)[kind];
  requireOpen(window, now);
  return { vault, window };
}

/** The vault, while its window is open. Throws as `requireOpenWindow`, without keeping the window from closing. */
export async function requireVaultWithOpenWindow(
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<Vault> {
  const [[found, windows], now] = await Promise.all([
    runAll(db, [vaultRead(db, vaultId), windowsRead(db, vaultId)]),
    readingTime(),
  ]);
  const vault = await requireReadable({ db }, caller, found);
  requireVaultNotEnded(vault);
  requireOpen(requireWindows(vaultId, windows)[kind], now);
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
