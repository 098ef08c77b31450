import type { Instant } from '../../domain/units/instant.ts';
import type { Entitlement } from '../../store/entitlements.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';
import type { Vault } from '../../store/vaults.ts';
import type { DepositContext } from './deposit-context.ts';
import { detectReclaims, type PresentDeposit, type UncertainDeposit } from './detect-reclaims.ts';
import { recordReclaims } from './record-reclaims.ts';

/** More deposits than fit into one transaction; the builder takes as many as fit. */
const MAX_DEPOSITS = 80;

interface NextPresent {
  readonly present: readonly PresentDeposit[];
  /** The entitlements after the recorded reclaims; null when there were none. */
  readonly revised: readonly Entitlement[] | null;
  /** Those found on the way that may have been reclaimed; they keep no others waiting. */
  readonly uncertain: readonly UncertainDeposit[];
}

/**
 * The next deposits that are still in the vault; records the reclaims that it finds on the way to them. Throws LEDGER_UNAVAILABLE,
 * and while a reclaim is not certain and nothing else is left.
 */
export async function nextPresentDeposits(
  context: DepositContext,
  vault: Vault,
  deposits: readonly StoredDeposit[],
  now: Instant,
): Promise<NextPresent> {
  let remaining = deposits;
  let revised: NextPresent['revised'] = null;
  for (;;) {
    const { present, reclaims, uncertain } = await detectReclaims(context, vault, remaining, {
      now,
      limit: MAX_DEPOSITS,
    });
    if (reclaims.length > 0)
      revised = await context.unitOfWork((transaction) => recordReclaims({ ...transaction, now }, vault.id, reclaims));
    if (present.length > 0) return { present, revised, uncertain };
    const [first] = uncertain;
    if (reclaims.length === 0 && first) throw first.error;
    if (reclaims.length === 0) return { present, revised, uncertain };
    const gone = new Set(reclaims.map(({ depositId }) => depositId));
    remaining = remaining.filter(({ depositId }) => !gone.has(depositId));
  }
}
