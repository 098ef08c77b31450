import { ServiceError } from '../errors.ts';
import { type Instant, secondsAfter } from '../units/instant.ts';

/** What costs a wallet nothing and the operator an anchor, or the transaction that creates a vault. */
export type FreeActionKind = 'vote_change' | 'endorsement' | 'proposal' | 'vault_change' | 'vault_creation';

const DAY_SECONDS = 86_400;

/** Free actions since then count for the limit of a wallet at `now`. */
export function freeActionsCountSince(now: Instant): Instant {
  return secondsAfter(now, -DAY_SECONDS);
}

/** The refusal of a wallet that has reached its limit; `limitingAt` is the first action of the `limit` latest ones. */
export function freeActionRefusal(
  { wallet, kind, limit }: { readonly wallet: string; readonly kind: FreeActionKind; readonly limit: number },
  { limitingAt, now }: { readonly limitingAt: Instant; readonly now: Instant },
): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((secondsAfter(limitingAt, DAY_SECONDS) - now) / 1000));
  return new ServiceError('FREE_ACTIONS_USED_UP', { wallet, action: kind, limit, retryAfterSeconds });
}
