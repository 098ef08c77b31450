import type { ActingWallet } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import type { DepositGuard } from '../assets/queries/deposits.ts';
import { totalAssetValue } from '../assets/read-assets.ts';
import { deliveryDeposits, buildInvest } from '../cardano/build/deposits.ts';
import { depositAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { ServiceContext } from '../context.ts';
import { insertInvestment, type NewInvestment, boundedInvestments, investedByMaxFdv } from './queries/investments.ts';
import { defaultMinVaultValue, minInvestment } from './rules.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { FieldProblem } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { instant } from '../platform/units/time.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { type FdvEvaluation, evaluateFdv } from '../settlement/rules/fdv-bounds.ts';
import {
  type StartedTransaction,
  startWalletTransaction,
  type WalletPrefetch,
  prefetchWallet,
} from '../transactions/start-wallet-transaction.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireOpenForDeposits, requireVaultWithOpenWindow, accessOf } from '../vaults/require-vault.ts';
import { mayInvest } from '../vaults/rules/access.ts';

export interface StartedInvestment extends StartedTransaction {
  readonly investment: NewInvestment;
  /** What the script of its deposit depends on. */
  readonly guard: DepositGuard;
}

/** Records an investment and the transaction that brings it to the investor's deposit address, while the investment window is open. */
export async function invest(
  context: TransactionContext,
  { networkId }: ServiceContext,
  { vaultId, lovelace, minVaultValue, maxFdv, investor, caller, correlationId }: InvestInput,
  prefetch: WalletPrefetch,
): Promise<StartedInvestment> {
  const { vault, window } = await requireOpenForDeposits(context, caller, vaultId, 'investment');
  requireAccepted(vault, investor.address, lovelace);
  const { chain } = prefetch;
  const id = context.ids.next();
  const deliveryDeposit = deliveryDeposits(chain.parameters).investment;
  const { address: depositAddress } = depositAddressOf(vault, investor.paymentKeyHash, networkId);
  const invested = {
    id,
    vaultId: vault.id,
    wallet: investor.address,
    lovelace,
    deliveryDeposit,
    minVaultValue: minVaultValue ?? defaultMinVaultValue(await totalAssetValue(context.tx, vault)),
    maxFdv,
    createdAt: context.now,
  };
  const started = await startWalletTransaction(context, {
    kind: 'invest',
    vaultId: vault.id,
    actor: investor,
    prefetch,
    window,
    build: (payer, ttlSlot) =>
      buildInvest(chain, { investor: payer, depositAddress, lovelace, deliveryDeposit, ttlSlot }),
    record: (transactionId) => insertInvestment(context.tx, { ...invested, transactionId }),
    action: 'INVESTMENT_STARTED',
    brought: [{ resource: { type: 'investment', id }, eventData: { investmentId: id, lovelace: lovelace.toString() } }],
    caller,
    correlationId,
  });
  return { ...started, investment: { ...invested, transactionId: started.transactionId }, guard: vault };
}

interface InvestInput {
  readonly vaultId: string;
  readonly lovelace: Lovelace;
  /** 80 % of the present value of the vault if absent; 0 sets no bound (design D41). */
  readonly minVaultValue: Lovelace | undefined;
  /** Null sets no bound. */
  readonly maxFdv: Lovelace | null;
  readonly investor: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Reads what an investor can pay with. Throws what `invest` would throw before it asks the ledger, and LEDGER_UNAVAILABLE. */
export async function prefetchInvestment(
  context: ServiceContext,
  { vaultId, lovelace, investor, caller }: InvestInput,
): Promise<WalletPrefetch> {
  const vault = await requireVaultWithOpenWindow(context, caller, vaultId, 'investment');
  requireAccepted(vault, investor.address, lovelace);
  return prefetchWallet(context, investor);
}

function requireAccepted(vault: Vault, investor: string, lovelace: Lovelace): void {
  if (!mayInvest(accessOf(vault), investor)) throw new ServiceError('INVESTOR_NOT_WHITELISTED');
  if (lovelace < minInvestment) {
    const minimum = minInvestment.toString();
    const problem: FieldProblem = { code: 'TOO_SMALL', message: `Must be at least ${minimum}.`, field: 'lovelace' };
    throw new ServiceError('INVESTMENT_TOO_SMALL', { minimum, errors: [problem] });
  }
}

/**
 * Which investments of a vault count now, by their bounds, if its assets are worth this, with `more` lovelace in addition. Reads single
 * ones, and only those with a bound, where one of the bounds breaks.
 */
export async function evaluateInvestments(
  db: Db | Transaction,
  { id, terms: { ftPercentage } }: { readonly id: string; readonly terms: Pick<Vault['terms'], 'ftPercentage'> },
  vaultValue: Lovelace,
  more: readonly Lovelace[] = [],
): Promise<FdvEvaluation> {
  const sums = await investedByMaxFdv(db, id, vaultValue);
  const ranked = [...sums, ...more.map((amount) => ({ lovelace: amount, maxFdv: null }))].map((one) => {
    return { ...one, id: `up to ${one.maxFdv}`, at: instant(0) };
  });
  const together = evaluateFdv(ranked, ftPercentage);
  if (together.above.size === 0) return together;
  const unbounded = ranked.filter(({ maxFdv }) => maxFdv === null);
  return evaluateFdv([...unbounded, ...(await boundedInvestments(db, id, vaultValue))], ftPercentage);
}
