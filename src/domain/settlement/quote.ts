import type { Instant } from '../units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace } from '../units/money.ts';
import { type Distribution, distribute } from './distribution.ts';
import type { DistributionInput, Investment } from './distribution-input.ts';

/** The settlement as it would be if one more investment came in at `now` and the windows ended with it. */
export interface Quote {
  /** What the investment would get; nothing (and the ADA back) if the vault would fail. */
  readonly ft: BaseUnits;
  readonly distribution: Distribution;
}

/** What `amount` more lovelace would get. Computed as a settlement is, so the two cannot differ. */
export function quote(input: DistributionInput, amount: Lovelace, now: Instant): Quote {
  const quoted: Investment = { id: 'quote', wallet: 'quote', lovelace: amount, at: now };
  const distribution = distribute({ ...input, investors: [...input.investors, quoted] });
  const share = distribution.kind === 'settles' ? distribution.investors.at(-1) : undefined;
  return { ft: share?.ft ?? baseUnits(0n), distribution };
}
