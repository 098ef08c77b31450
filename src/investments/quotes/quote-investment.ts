import type { Caller } from '../../access/rules/caller.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { contributionOf } from '../../settlement/rules/distribution-input.ts';
import { stayingValues } from '../../settlement/rules/locked-values.ts';
import { type Quote, quote } from '../../settlement/rules/quote.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import { requireOpen, windowRefusal } from '../../vaults/rules/window.ts';
import { findQuotableVault } from '../queries/quotable-vaults.ts';
import type { ServiceContext } from '../../context.ts';
import { settlementInput } from '../../settlement/settlement-input.ts';
import { quoteFromSums } from './quote-from-sums.ts';
import { requireVaultNotEnded } from '../../vaults/require-vault-state.ts';
import { readerScope } from '../../vaults/vault-access.ts';

export interface InvestmentQuote extends Quote {
  /** Decimals of the token of the vault. */
  readonly ftDecimals: number;
  readonly now: Instant;
}

/**
 * What an investment of `amount` lovelace would get if the vault settled right after it (design D13). Throws VAULT_NOT_FOUND,
 * VAULT_ALREADY_ENDED and INVESTMENT_WINDOW_CLOSED.
 */
export async function quoteInvestment(
  { db, readingTime, lpMinimum }: Pick<ServiceContext, 'db' | 'readingTime' | 'lpMinimum'>,
  caller: Caller,
  vaultId: string,
  amount: Lovelace,
): Promise<InvestmentQuote> {
  const found = await findQuotableVault(db, vaultId, readerScope(caller));
  if (!found) throw new ServiceError('VAULT_NOT_FOUND');
  const { vault, window, deposits } = found;
  const now = await readingTime();
  requireVaultNotEnded(vault);
  // A quote is also given before the window opens.
  if (windowRefusal(window, now) === 'INVESTMENT_WINDOW_CLOSED') requireOpen(window, now);
  const contributors = stayingValues(deposits.assets, vault.terms, deposits.prices).map(contributionOf);
  const input = { ...vault.terms, supply: vault.terms.ftSupply, lpMinimum, contributors };
  const investors = deposits.investments?.map((investment) => ({ ...investment, wallet: '' }));
  const quoted = investors
    ? quote({ ...input, investors }, amount, now)
    : ((await quoteFromSums(db, vaultId, input, { amount, now })) ??
      quote(await settlementInput(db, vault, lpMinimum), amount, now));
  return { ...quoted, ftDecimals: vault.terms.ftDecimals, now };
}
