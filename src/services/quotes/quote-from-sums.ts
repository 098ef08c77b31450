import { countAssets } from '../../domain/settlement/counted-assets.ts';
import type { SettlementInput } from '../../domain/settlement/distribution-input.ts';
import type { Quote } from '../../domain/settlement/quote.ts';
import { draftQuote, finishQuote, shareQuestion } from '../../domain/settlement/quote-from-sums.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { Db } from '../../store/database.ts';
import { judgeInvestments } from '../investments/judge-investments.ts';
import { sharesOfInvestments } from '../../store/vault-investments.ts';

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
