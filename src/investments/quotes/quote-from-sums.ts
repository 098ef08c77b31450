import { countAssets } from '../../settlement/rules/counted-assets.ts';
import type { SettlementInput } from '../../settlement/rules/distribution-input.ts';
import type { Quote } from '../../settlement/rules/quote.ts';
import { draftQuote, finishQuote, shareQuestion } from '../../settlement/rules/quote-from-sums.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Db } from '../../platform/database/database.ts';
import { judgeInvestments } from '../judge-investments.ts';
import { sharesOfInvestments } from '../queries/vault-investments.ts';

/** A quote for which no single investment is read; null when only all of them can tell. */
export async function quoteFromSums(
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
      const { invested, above } = await judgeInvestments(tx, { id: vaultId, terms: input }, vaultValue, [amount]);
      const draft = draftQuote({ ...input, contributors }, lovelace(invested - amount), amount, now);
      const question = shareQuestion(draft);
      const shares = question && (await sharesOfInvestments(tx, vaultId, { vaultValue, above, ...question }));
      return finishQuote(draft, shares);
    });
}
