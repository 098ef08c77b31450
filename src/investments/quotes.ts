import type { Caller } from '../access/rules.ts';
import type { ServiceContext } from '../context.ts';
import { evaluateInvestments } from './invest.ts';
import { sharesOfInvestments } from './queries/investments.ts';
import { findQuotableVault } from './queries/quotes.ts';
import type { Db } from '../platform/database/database.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { countAssets, stayingValues } from '../settlement/rules/deposits.ts';
import { contributionOf, type SettlementInput } from '../settlement/rules/distribution.ts';
import { draftQuote, finishQuote, shareQuestion, type Quote, quote } from '../settlement/rules/quote.ts';
import { settlementInput } from '../settlement/settlement-input.ts';
import { requireVaultNotEnded, readerScope } from '../vaults/require-vault.ts';
import { requireOpen, windowRefusal } from '../vaults/rules/window.ts';

export interface InvestmentQuote extends Quote {
  /** Decimals of the token of the vault. */
  readonly ftDecimals: number;
  readonly now: Instant;
}

/** What an investment of `amount` lovelace would get if the vault settled right after it (design D13). */
export async function quoteInvestment(
  { db, readingTime, lpMinimum }: ServiceContext,
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

/**
 * A quote for which no single investment is read; null when only all of them can tell. No sum is stored: it would have to follow every
 * confirmation, removal and rollback, and which investments count depends on their bounds and on the prices of now.
 */
async function quoteFromSums(
  db: Db,
  vaultId: string,
  input: Omit<SettlementInput, 'investors'>,
  { amount, now }: { readonly amount: Lovelace; readonly now: Instant },
): Promise<Quote | null> {
  const contributors = countAssets(input.contributors, input.maxShare).counted;
  const vaultValue = lovelace(contributors.reduce((sum, { value }) => sum + value, 0n));
  // Both sums are of the same moment.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const { invested, above } = await evaluateInvestments(tx, { id: vaultId, terms: input }, vaultValue, [amount]);
      const draft = draftQuote({ ...input, contributors }, lovelace(invested - amount), amount, now);
      const question = shareQuestion(draft);
      const shares = question && (await sharesOfInvestments(tx, vaultId, { vaultValue, above, ...question }));
      return finishQuote(draft, shares);
    });
}
