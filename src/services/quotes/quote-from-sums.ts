import type { Quote } from '../../domain/settlement/quote.ts';
import { draftQuote, finishQuote, type QuotedVault, shareQuestion } from '../../domain/settlement/quote-from-sums.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { Db } from '../../store/database.ts';
import { judgeInvestments } from '../investments/judge-investments.ts';
import { sharesOfInvestments } from '../../store/vault-investments.ts';
import type { Vault } from '../../store/vaults.ts';
import { countedContributions } from '../settlements/settlement-input.ts';

/** A quote for which no single investment is read; null when only all of them can tell. */
export async function quoteFromSums(
  db: Db,
  vault: Vault,
  terms: Omit<QuotedVault, 'contributors'>,
  { amount, now }: { readonly amount: Lovelace; readonly now: Instant },
): Promise<Quote | null> {
  // Both sums are of the same moment.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const contributors = await countedContributions(tx, vault);
      const vaultValue = lovelace(contributors.reduce((sum, { value }) => sum + value, 0n));
      const { invested, above } = await judgeInvestments(tx, vault, vaultValue, [amount]);
      const draft = draftQuote({ ...terms, contributors }, lovelace(invested - amount), amount, now);
      const question = shareQuestion(draft);
      const shares = question && (await sharesOfInvestments(tx, vault.id, { vaultValue, above, ...question }));
      return finishQuote(draft, shares);
    });
}
