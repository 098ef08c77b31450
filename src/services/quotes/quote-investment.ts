import type { Caller } from '../../domain/identity/caller.ts';
import { type Quote, quote } from '../../domain/settlement/quote.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { requireOpen, windowRefusal } from '../../domain/vault/window.ts';
import { getWindows } from '../../store/windows.ts';
import type { ServiceContext } from '../context.ts';
import { settlementInput } from '../settlements/settlement-input.ts';
import { quoteFromSums } from './quote-from-sums.ts';
import { requireVaultNotEnded } from '../vaults/require-vault-state.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

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
  context: Pick<ServiceContext, 'db' | 'readingTime' | 'lpMinimum'>,
  caller: Caller,
  vaultId: string,
  amount: Lovelace,
): Promise<InvestmentQuote> {
  const { db, readingTime, lpMinimum } = context;
  const vault = await requireReadableVault(context, caller, vaultId);
  const now = await readingTime();
  requireVaultNotEnded(vault);
  const { investment: window } = await getWindows(db, vault.id);
  // A quote is also given before the window opens.
  if (windowRefusal(window, now) === 'INVESTMENT_WINDOW_CLOSED') requireOpen(window, now);
  const terms = { ...vault.terms, supply: vault.terms.ftSupply, lpMinimum };
  const quoted =
    (await quoteFromSums(db, vault, terms, { amount, now })) ??
    quote(await settlementInput(db, vault, lpMinimum), amount, now);
  return { ...quoted, ftDecimals: vault.terms.ftDecimals, now };
}
