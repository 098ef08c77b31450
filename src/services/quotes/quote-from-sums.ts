import type { Quote } from '../../domain/settlement/quote.ts';
import { draftQuote, finishQuote, type QuotedVault, shareQuestion } from '../../domain/settlement/quote-from-sums.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { Db } from '../../store/database.ts';
import { investedByMaxFdv, sharesOfInvestments } from '../../store/vault-investments.ts';
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
      const others = await investedByMaxFdv(tx, vault.id, vaultValue);
      const draft = draftQuote({ ...terms, contributors }, others, amount, now);
      const question = shareQuestion(draft);
      const { brokenFdv } = draft;
      const shares = question && (await sharesOfInvestments(tx, vault.id, { vaultValue, brokenFdv, ...question }));
      return finishQuote(draft, shares);
    });
}
