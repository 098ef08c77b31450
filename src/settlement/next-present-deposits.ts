import type { Instant } from '../platform/units/instant.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import { type DepositPages, PAGE } from './queries/deposit-pages.ts';
import { UnreadableRow } from '../platform/database/decode-rows.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { DepositContext } from './deposit-context.ts';
import { detectReclaims, type PresentDeposit, type UncertainDeposit } from './detect-reclaims.ts';
import { recordReclaims } from './record-reclaims.ts';

export interface NextPresent {
  readonly present: readonly PresentDeposit[];
  /** Those found on the way that may have been reclaimed; they keep no others waiting. */
  readonly uncertain: readonly UncertainDeposit[];
}

/**
 * The next deposits that are still in the vault, as many as may fit into one transaction; records the reclaims that it finds on the
 * way to them. `pages` begins anew each time. Throws LEDGER_UNAVAILABLE.
 */
export async function nextPresentDeposits(
  context: DepositContext,
  vault: Vault,
  pages: () => DepositPages,
  now: Instant,
): Promise<NextPresent> {
  for (;;) {
    const seen = await followedTip(context.db);
    const found = await detectReclaims(context, vault, pages(), { now, limit: PAGE, seen });
    const { present, reclaims, uncertain } = found;
    for (const { error } of uncertain) if (error instanceof UnreadableRow) context.onUnreadable(error);
    if (reclaims.length > 0)
      await context.unitOfWork((transaction) => recordReclaims({ ...transaction, now }, vault.id, { reclaims, seen }));
    if (present.length > 0 || reclaims.length === 0) return { present, uncertain };
  }
}
