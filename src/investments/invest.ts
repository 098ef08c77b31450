import { buildInvest } from '../cardano/build/invest.ts';
import { deliveryDeposits } from '../cardano/build/deposits.ts';
import { depositAddressOf } from '../cardano/scripts/script-addresses.ts';
import { defaultMinVaultValue } from './rules/investment.ts';
import type { DepositGuard } from '../assets/queries/deposit-guard.ts';
import { insertInvestment, type NewInvestment } from './queries/investments.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { ServiceContext } from '../context.ts';
import { totalAssetValue } from '../assets/read-assets.ts';
import type { WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import { requireOpenForDeposits } from '../vaults/require-vault-state.ts';
import { type InvestInput, requireAccepted } from './prefetch-investment.ts';
import { type StartedTransaction, startWalletTransaction } from '../transactions/start-wallet-transaction.ts';

export interface StartedInvestment extends StartedTransaction {
  readonly investment: NewInvestment;
  /** What the script of its deposit depends on. */
  readonly guard: DepositGuard;
}

/**
 * Records an investment and the transaction that brings it to the investor's deposit address, while the investment window is open.
 * Throws INVESTMENT_TOO_SMALL, INVESTOR_NOT_WHITELISTED, INSUFFICIENT_FUNDS and what `requireOpenForDeposits` throws.
 */
export async function invest(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
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
