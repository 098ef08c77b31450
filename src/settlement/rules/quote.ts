import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace } from '../../platform/units/money.ts';
import { distributeToCounted, type InvestmentReturnReason, type ReturnedDeposit } from './counted-deposits.ts';
import type { Distribution } from './distribution.ts';
import type { Investment, SettlementInput } from './distribution-input.ts';

/** The settlement as it would be if one more investment came in at `now` and the windows ended with it. */
export interface Quote {
  /** What the investment would get; nothing (and the ADA back) if the vault would fail. */
  readonly ft: BaseUnits;
  /** Why the investment would go back although the vault settles; null when it would not. */
  readonly returnReason: InvestmentReturnReason | null;
  readonly distribution: Distribution;
}

const QUOTED = 'quote';

/** What `amount` more lovelace would get. Computed as a settlement is, so the two cannot differ. */
export function quote(input: SettlementInput, amount: Lovelace, now: Instant): Quote {
  const quoted: Investment = { id: QUOTED, wallet: QUOTED, lovelace: amount, at: now };
  const distribution = distributeToCounted({ ...input, investors: [...input.investors, quoted] });
  if (distribution.kind === 'fails') return { ft: baseUnits(0n), returnReason: null, distribution };
  const ft = distribution.investors.find(isQuoted)?.ft ?? baseUnits(0n);
  return { ft, returnReason: returnReasonOf(distribution.returned), distribution };
}

const isQuoted = ({ id }: { readonly id: string }) => id === QUOTED;

function returnReasonOf(returned: readonly ReturnedDeposit[]): InvestmentReturnReason | null {
  const quoted = returned.find((deposit) => isQuoted(deposit));
  return quoted?.depositKind === 'investment' ? quoted.reason : null;
}
