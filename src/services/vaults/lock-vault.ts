import { programmedEnd } from '../../domain/termination/programmed-end.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { VaultStatus } from '../../domain/vault/vault.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { vaultEntitlements } from '../../store/entitlements.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { isLiquidationSent } from '../../store/proposal-executions.ts';
import { depositsInLiveTransactions } from '../../store/transaction-deposits.ts';
import { isTerminating } from '../../store/terminations.ts';
import { hasUnreturnedDeposit } from '../../store/returned-deposits.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { lockVaultRow, type Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { beginTermination } from '../terminations/begin-termination.ts';
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
    const transactions = await liveSettlement(context, vaultId);
    if (!transactions.every(({ state }) => isOnLedger(state))) return unchanged;
    if (!(await isComplete(context, vaultId, transactions))) return { ...unchanged, undone: true };
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

/** The transactions of a vault's settlement that have landed or still may. */
async function liveSettlement({ tx }: TransactionContext, vaultId: string): Promise<ChainTransaction[]> {
  const transactions = await vaultTransactions(tx, vaultId, ['mint', 'deliver', 'liquidity', 'refund']);
  return transactions.filter(({ state }) => state !== 'expired' && state !== 'failed');
}

/** Whether the transactions pay everything that the plan promises, and return what does not count in it. */
async function isComplete(
  { tx }: TransactionContext,
  vaultId: string,
  transactions: readonly ChainTransaction[],
): Promise<boolean> {
  const kinds = transactions.map(({ kind }) => kind);
  if (!kinds.includes('mint') || !kinds.includes('liquidity')) return false;
  const delivered = await depositsInLiveTransactions(tx, vaultId, 'deliver');
  const entitlements = await vaultEntitlements(tx, vaultId);
  if (!entitlements.every(({ depositId, reclaimed }) => reclaimed || delivered.has(depositId))) return false;
  return !(await hasUnreturnedDeposit(tx, vaultId));
}
