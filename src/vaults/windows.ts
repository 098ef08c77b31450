import type { ServiceContext } from '../context.ts';
import { platformEventFields, publishAll } from '../events/publish.ts';
import type { Db } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Failure, VaultSchedule, WindowTransition } from '../platform/temporal/activity-types.ts';
import { type Instant, instant } from '../platform/units/time.ts';
import { isLiquidationSent } from '../proposals/queries/proposal-executions.ts';
import { isAnyUnpaid, hasUnreturnedDeposit } from '../settlement/queries/payments.ts';
import { beginTermination } from '../termination/begin-termination.ts';
import { isTerminating } from '../termination/queries/terminations.ts';
import { programmedEnd } from '../termination/rules/steps.ts';
import { isAnyUnconfirmed, vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger } from '../transactions/rules.ts';
import { vaultFailedEvent } from './end-vault.ts';
import { setFailureReasons } from './queries/vault-changes.ts';
import { getVault, type Vault, lockVaultRow } from './queries/vaults.ts';
import {
  closeWindows,
  failingVaults,
  lockDueWindows,
  type VaultWindow,
  getWindows,
  type VaultWindows,
} from './queries/windows.ts';
import { refundReasonOf, type VaultStatus } from './rules/vault.ts';
import type { Window, WindowKind } from './rules/window.ts';
import { activateVault, transitionWindow, transitionVault } from './transitions.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Windows that one transaction closes: a writer who is late for one of them waits for all. */
const TOGETHER = 100;

/**
 * Closes windows of all vaults that are due at `now`, because a workflow task for each would let those that end at one instant wait for
 * each other. What it leaves out, and everything when it throws, is closed by each vault's own workflow.
 */
export async function closeDueWindows(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  now: Instant,
): Promise<void> {
  for (let closed = TOGETHER; closed === TOGETHER;) {
    const due = await unitOfWork(async ({ tx, ids }) => {
      const windows = await lockDueWindows(tx, now, TOGETHER);
      if (windows.length > 0) await closeWindowsAtOnce({ tx, ids, now }, windows);
      return windows;
    });
    for (const { kind, endsAt } of due) onTransition(`${kind}_window_close`, endsAt);
    closed = due.length;
  }
}

/**
 * Closes windows that are open. A vault without assets, of which none was sent that may still be confirmed, fails with all of its windows among
 * them; those that it leaves open would wait for its own workflow, and are closed by the next call.
 */
async function closeWindowsAtOnce(context: TransactionContext, windows: readonly VaultWindow[]): Promise<void> {
  const failing = await failingVaults(context.tx, windows);
  const failed = windows.filter(({ vaultId }) => failing.has(vaultId));
  const completed = windows.filter(({ vaultId }) => !failing.has(vaultId));
  if (failed.length > 0) await closeWindows(context, failed, 'FAILED');
  const ended = failed.length > 0 ? await setFailureReasons(context, [...failing], 'no_assets') : [];
  if (completed.length > 0) await closeWindows(context, completed, 'COMPLETED');
  const failures = ended.map((vaultId) => vaultFailedEvent(vaultId, 'no_assets'));
  await publishAll(context, [
    ...statusChanges(failed, 'FAILED'),
    ...failures,
    ...statusChanges(completed, 'COMPLETED'),
  ]);
}

function statusChanges(windows: readonly VaultWindow[], to: 'COMPLETED' | 'FAILED') {
  return windows.map(({ vaultId, kind: window, status: from }) => {
    const data = { window, from, to };
    const type = 'WINDOW_STATUS_CHANGED' as const;
    return { event: { type, ...platformEventFields(vaultId), transactionHash: null, data } };
  });
}

interface OpenOrCloseWindow {
  readonly vaultId: string;
  readonly window: WindowKind;
  readonly change: 'open' | 'close';
  readonly now: Instant;
}

/** Opens or closes a window of a vault, once; the first that closes takes along the others that are due. Returns the reason when the vault has failed, by this or before. */
export async function openOrCloseWindow(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  { vaultId, window: kind, change, now }: OpenOrCloseWindow,
): Promise<Failure | null> {
  const { vault, window, isDue } = await unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    await lockExclusive(tx, `window:${vaultId}:${kind}`);
    const window = (await getWindows(tx, vaultId))[kind];
    const isDue = window.status === (change === 'open' ? 'PENDING' : 'ACTIVE');
    // Anybody who reaches Temporal can ask for it.
    if (isDue && now < window[change === 'open' ? 'startsAt' : 'endsAt'])
      throw new Error(`the ${kind} window of vault ${vaultId} is not to ${change} yet`);
    if (change === 'open') {
      if (isDue) await transitionWindow(context, vaultId, window, 'ACTIVE');
      await activateVault(context, vaultId);
    } else if (isDue) await closeWindowsAtOnce(context, [{ vaultId, ...window }]);
    return { vault: await getVault(tx, vaultId), window, isDue };
  });
  if (isDue) onTransition(`${kind}_window_${change}`, dueAt(change, window, vault));
  if (isDue && change === 'close') await closeDueWindows({ unitOfWork, onTransition }, now);
  const reason = refundReasonOf(vault.failedBecause);
  return reason === null ? null : { reason };
}

/** A window may start in the past; its opening was not due before the vault was created. */
function dueAt(change: OpenOrCloseWindow['change'], { startsAt, endsAt }: Window, { createdAt }: Vault): Instant {
  return instant(change === 'open' ? Math.max(startsAt, createdAt) : endsAt);
}

/** When the windows of a vault open and close, in order, and when it has to be settled. */
export async function readSchedule(db: Db, vaultId: string): Promise<VaultSchedule> {
  const [vault, windows] = await Promise.all([getVault(db, vaultId), getWindows(db, vaultId)]);
  return { transitions: transitionsOf(windows), settlesBy: vault.settlesBy, status: vault.status };
}

/** At one instant a window opens before another closes. */
function transitionsOf({ asset, investment }: VaultWindows): WindowTransition[] {
  const transitions = [asset, investment].flatMap(({ kind: window, startsAt, endsAt }): WindowTransition[] => [
    { window, change: 'open', at: startsAt },
    { window, change: 'close', at: endsAt },
  ]);
  return transitions.sort((one, other) => one.at - other.at || other.change.localeCompare(one.change));
}

/** The status of a vault, and whether a rollback has removed a part of its settlement that cannot be confirmed again. */
interface SettledStatus {
  readonly status: VaultStatus;
  readonly undone: boolean;
  /** Whether its end has begun. */
  readonly isTerminating: boolean;
  /** When its programmed end comes; null without one, or while something else ends it. */
  readonly endsAt: Instant | null;
}

/** Locks an ACTIVE vault whose settlement is complete and on the ledger, and begins the end of a LOCKED one that was programmed. */
export async function lockVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<SettledStatus> {
  return unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    const vault = await lockVaultRow(tx, vaultId);
    if (vault.status === 'LOCKED') return lockedStatus(context, vault);
    const unchanged = { status: vault.status, undone: false, isTerminating: false, endsAt: null };
    if (vault.status !== 'ACTIVE') return unchanged;
    if (await isAnyUnconfirmed(tx, vaultId, ['mint', 'deliver', 'liquidity', 'refund'])) return unchanged;
    if (!(await isComplete(context, vaultId))) return { ...unchanged, undone: true };
    await transitionVault(context, vault, { status: 'LOCKED' });
    return lockedStatus(context, await lockVaultRow(tx, vaultId));
  });
}

async function lockedStatus(context: TransactionContext, vault: Vault): Promise<SettledStatus> {
  const { status, failedBecause } = vault;
  const end = programmedEnd(vault.terms, vault.lockedAt);
  // A liquidation that was sent names recipients, which the programmed end would overrule; it comes if that one is not confirmed.
  const isNext = end !== null && failedBecause === null && !(await isLiquidationSent(context.tx, vault.id));
  if (isNext && end <= context.now) await beginTermination(context, vault.id, { reason: 'programmed_end' });
  const isDecided = await isTerminating(context.tx, vault.id);
  return { status, undone: false, isTerminating: isDecided, endsAt: isNext && !isDecided ? end : null };
}

/** Whether the transactions that are on the ledger pay everything that the plan promises, and return what does not count in it. */
async function isComplete({ tx }: TransactionContext, vaultId: string): Promise<boolean> {
  const transactions = await vaultTransactions(tx, vaultId, ['mint', 'liquidity']);
  const confirmed = transactions.filter(({ state }) => isOnLedger(state)).map(({ kind }) => kind);
  if (!confirmed.includes('mint') || !confirmed.includes('liquidity')) return false;
  return !(await isAnyUnpaid(tx, vaultId)) && !(await hasUnreturnedDeposit(tx, vaultId));
}
