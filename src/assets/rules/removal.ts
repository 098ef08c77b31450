import type { Instant } from '../../platform/units/time.ts';
import { noticeBegins } from '../../vaults/rules/access.ts';
import type { Span } from '../../vaults/rules/window.ts';

/**
 * Whether the admin of a vault may return an asset that another wallet has contributed: once others have no time to leave, only one that came
 * since. The value of the vault falls with it, which sends investors away, so that the admin could buy alone. `lockedAt` is null before
 * a block has the asset.
 */
export function mayAdminRemove(
  { lockedAt }: { readonly lockedAt: Instant | null },
  assetWindow: Span,
  now: Instant,
): boolean {
  const begins = noticeBegins(assetWindow);
  return now < begins || lockedAt === null || lockedAt >= begins;
}
