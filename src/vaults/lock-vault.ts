import { programmedEnd } from '../termination/rules/programmed-end.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { VaultStatus } from './rules/vault.ts';
import { isAnyUnpaid } from '../settlement/queries/deposits-to-pay.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { isLiquidationSent } from '../proposals/queries/proposal-executions.ts';
import { isTerminating } from '../termination/queries/terminations.ts';
import { hasUnreturnedDeposit } from '../settlement/queries/returned-deposits.ts';
import { isAnyUnlanded, vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { lockVaultRow, type Vault } from './queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { beginTermination } from '../termination/begin-termination.ts';
import { transitionVault } from './transitions.ts';

/** The status of a vault, and whether a rollback has removed a part of its settlement that cannot land again. */
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
    if (await isAnyUnlanded(tx, vaultId, ['mint', 'deliver', 'liquidity', 'refund'])) return unchanged;
    if (!(await isComplete(context, vaultId))) return { ...unchanged, undone: true };
    await transitionVault(context, vault, { status: 'LOCKED' });
    return lockedStatus(context, await lockVaultRow(tx, vaultId));
  });
}

async function lockedStatus(context: TransactionContext, vault: Vault): Promise<SettledStatus> {
  const { status, failedBecause } = vault;
  const end = programmedEnd(vault.terms, vault.lockedAt);
  // A liquidation that was sent names recipients, which the programmed end would overrule; it comes if that one does not land.
  const isNext = end !== null && failedBecause === null && !(await isLiquidationSent(context.tx, vault.id));
  if (isNext && end <= context.now) await beginTermination(context, vault.id, { reason: 'programmed_end' });
  const isDecided = await isTerminating(context.tx, vault.id);
  return { status, undone: false, isTerminating: isDecided, endsAt: isNext && !isDecided ? end : null };
}

/** Whether the transactions that are on the ledger pay everything that the plan promises, and return what does not count in it. */
async function isComplete({ tx }: TransactionContext, vaultId: string): Promise<boolean> {
  const transactions = await vaultTransactions(tx, vaultId, ['mint', 'liquidity']);
  const landed = transactions.filter(({ state }) => isOnLedger(state)).map(({ kind }) => kind);
  if (!landed.includes('mint') || !landed.includes('liquidity')) return false;
  return !(await isAnyUnpaid(tx, vaultId)) && !(await hasUnreturnedDeposit(tx, vaultId));
}
