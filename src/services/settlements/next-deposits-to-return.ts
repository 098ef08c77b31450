import { buildDepositReturn } from '../../chain/build/deposit-return.ts';
import { depositOf } from '../../chain/build/deposits.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type DepositPages, keepOf } from '../../store/deposit-pages.ts';
import { failedRefunds } from '../../store/failed-refunds.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';
import type { Vault } from '../../store/vaults.ts';
import type { DepositContext } from './deposit-context.ts';
import { type NextPresent, nextPresentDeposits } from './next-present-deposits.ts';

/**
 * The next deposits to return together. Those whose refund has failed come after all others, and by halves, so that one that cannot be
 * returned is alone in the end; those that cannot pay for their return are left out. Throws LEDGER_UNAVAILABLE.
 */
export async function nextDepositsToReturn(
  context: DepositContext,
  vault: Vault,
  pages: () => DepositPages,
  { chain, now }: { readonly chain: NetworkState; readonly now: Instant },
): Promise<NextPresent> {
  const failures = await failedRefunds(context.db, vault.id);
  const turns = [...new Set([0, ...failures.values()])].toSorted((one, other) => one - other);
  const uncertain = [];
  for (const turn of turns) {
    const isNext = (stored: StoredDeposit) =>
      (failures.get(stored.depositId) ?? 0) === turn && isReturnable(chain, vault, stored);
    const found = await nextPresentDeposits(context, vault, () => keepOf(pages(), isNext), now);
    uncertain.push(...found.uncertain);
    const most = turn === 0 ? found.present.length : Math.ceil(found.present.length / 2);
    if (most > 0) return { present: found.present.slice(0, most), uncertain };
  }
  return { present: [], uncertain };
}

/** Whether a deposit could be returned alone: it is where its row says, and pays the fee and the min-ADA of today. */
function isReturnable(chain: NetworkState, vault: Vault, stored: StoredDeposit): boolean {
  try {
    const deposits = [depositOf(stored, vault, chain.networkId)];
    // Any slot: only the length of the transaction matters.
    buildDepositReturn(chain, { deposits, signers: [vault.settlementKeyHash], ttlSlot: chain.anchor.slot });
    return true;
  } catch {
    return false;
  }
}
