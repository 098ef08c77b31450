import { ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';

/** What costs a wallet nothing and the operator an anchor, or the transaction that creates a vault. */
export type FreeActionKind = 'vote_change' | 'endorsement' | 'proposal' | 'vault_change' | 'vault_creation';

const DAY_SECONDS = 86_400;

/** Free actions since then count for the limit of a wallet at `now`. */
export function freeActionsCountSince(now: Instant): Instant {
  return secondsAfter(now, -DAY_SECONDS);
}

interface FreeActions {
  readonly kind: FreeActionKind;
  readonly limit: number;
  /** When the latest `limit` ones that count already were, by wallet; the latest first. */
  readonly latest: ReadonlyMap<string, readonly Instant[]>;
  readonly now: Instant;
}

/** The refusal of each action that its wallet may not do after those before it, null for the others; `wallets` says who does each. */
export function freeActionRefusals(
  wallets: readonly string[],
  { kind, limit, latest, now }: FreeActions,
): (ServiceError | null)[] {
  const done = new Map<string, number>();
  return wallets.map((wallet) => {
    const earlier = latest.get(wallet) ?? [];
    const count = done.get(wallet) ?? 0;
    done.set(wallet, count + 1);
    return earlier.length + count < limit ? null : refusal({ wallet, kind, limit }, earlier.at(-1) ?? now, now);
  });
}

/** `limitingAt` is the action after whose end another one is possible. */
function refusal(
  { wallet, kind, limit }: { readonly wallet: string; readonly kind: FreeActionKind; readonly limit: number },
  limitingAt: Instant,
  now: Instant,
): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((secondsAfter(limitingAt, DAY_SECONDS) - now) / 1000));
  return new ServiceError('FREE_ACTIONS_USED_UP', { wallet, action: kind, limit, retryAfterSeconds });
}
