import { type JudgedFdv, judgeFdv } from '../settlement/rules/fdv-bounds.ts';
import { instant } from '../platform/units/instant.ts';
import type { Lovelace } from '../platform/units/money.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { boundedInvestments, investedByMaxFdv } from './queries/vault-investments.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/**
 * Which investments of a vault count now, by their bounds, if its assets are worth this, with `more` lovelace beside them. Reads single
 * ones, and only those with a bound, where one of the bounds breaks.
 */
export async function judgeInvestments(
  db: Db | Transaction,
  { id, terms: { ftPercentage } }: { readonly id: string; readonly terms: Pick<Vault['terms'], 'ftPercentage'> },
  vaultValue: Lovelace,
  more: readonly Lovelace[] = [],
): Promise<JudgedFdv> {
  const sums = await investedByMaxFdv(db, id, vaultValue);
  const ranked = [...sums, ...more.map((amount) => ({ lovelace: amount, maxFdv: null }))].map((one) => {
    return { ...one, id: `up to ${one.maxFdv}`, at: instant(0) };
  });
  const together = judgeFdv(ranked, ftPercentage);
  if (together.above.size === 0) return together;
  const unbounded = ranked.filter(({ maxFdv }) => maxFdv === null);
  return judgeFdv([...unbounded, ...(await boundedInvestments(db, id, vaultValue))], ftPercentage);
}
