import type { Instant } from '../platform/units/instant.ts';
import { type DepositPages, keepOf } from './queries/deposit-pages.ts';
import { failedPayments } from './queries/failed-payments.ts';
import type { DepositRow } from '../assets/queries/vault-deposits.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { DepositContext } from './deposit-context.ts';
import { type NextPresent, nextPresentDeposits } from './next-present-deposits.ts';

interface Turns {
  readonly kind: 'deliver' | 'refund';
  readonly pages: () => DepositPages;
  readonly isSound: (found: DepositRow) => boolean;
  readonly now: Instant;
}

/**
 * The deposits to deliver or to return together next, then those instead if that cannot be done; in the end none. Those whose delivery or
 * refund has failed come after all others, and by halves, so that one that is wrong is alone in the end. What contributors get depends on
 * each investment: while one is uncertain or has failed, investors alone are paid. Throws LEDGER_UNAVAILABLE.
 */
export async function* nextInTurns(
  context: DepositContext,
  vault: Vault,
  { kind, pages, isSound, now }: Turns,
): AsyncGenerator<NextPresent, NextPresent> {
  const failures = await failedPayments(context.db, vault.id, kind);
  const turns = [...new Set([0, ...failures.values()])].toSorted((one, other) => one - other);
  const uncertain = [];
  for (const turn of turns) {
    let isAmountOpen = false;
    const isNext = (found: DepositRow) => {
      const isTurn = (failures.get(found.deposit_id) ?? 0) === turn && isSound(found);
      isAmountOpen ||= !isTurn && found.deposit_kind === 'investment';
      return isTurn;
    };
    const found = await nextPresentDeposits(context, vault, () => keepOf(pages(), isNext), now);
    uncertain.push(...found.uncertain);
    isAmountOpen ||= uncertain.some(({ stored }) => stored.depositKind === 'investment');
    const areAllDue = kind === 'refund' || !isAmountOpen;
    const due = found.present.filter(({ depositKind }) => areAllDue || depositKind === 'investment');
    const most = turn === 0 ? due.length : Math.ceil(due.length / 2);
    if (most > 0) yield { present: due.slice(0, most), uncertain };
  }
  const nothing = { present: [], uncertain };
  yield nothing;
  return nothing;
}
