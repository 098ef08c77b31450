import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type Lovelace } from '../../platform/units/money.ts';
import { distributeToCounted, type InvestmentReturnReason, type ReturnedDeposit } from './deposits.ts';
import {
  type Distribution,
  type Investment,
  type SettlementInput,
  distribute,
  type DistributionInput,
} from './distribution.ts';

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

type QuotedVault = Omit<DistributionInput, 'investors'>;

/** A quote that still lacks what the other investments get. */
export interface QuoteDraft {
  readonly amount: Lovelace;
  readonly distribution: Distribution;
}

/**
 * Begins a quote from sums: the contributors of `vault` are the assets that count (`countAssets`), and `others` is what was invested
 * in it, without the investments whose bound on its value or on the FDV does not hold with the quoted one.
 */
export function draftQuote(vault: QuotedVault, others: Lovelace, amount: Lovelace, now: Instant): QuoteDraft {
  const investors = [
    { id: 'others', wallet: '', lovelace: others, at: now },
    { id: 'quote', wallet: '', lovelace: amount, at: now },
  ];
  return { amount, distribution: distribute({ ...vault, investors }) };
}

/** What the other investments that count get, before left-over base units are handed out. */
export interface SharesOfOthers {
  /** Whole base units of all of them. */
  readonly units: bigint;
  /** How many come before the quoted one when left-over units are handed out: those with at least its remainder. */
  readonly ahead: number;
  /** How many get less than one base unit. */
  readonly belowOneUnit: number;
}

/**
 * What the shares of the other investments are computed from: each gets its lovelace · `investorsFt` / `invested` base units;
 * `remainder` is that of the quoted one. Null when the vault would fail.
 */
export function shareQuestion({ amount, distribution }: QuoteDraft) {
  if (distribution.kind === 'fails') return null;
  const { investorsFt, invested } = distribution;
  return { investorsFt, invested, remainder: (amount * investorsFt) % invested };
}

/**
 * Ends a quote: the same result as `quote`, from two numbers instead of all investments. Null when a deposit would get no unit of
 * anything and go back: then everything has to be shared again, which only `quote` does.
 */
export function finishQuote({ amount, distribution }: QuoteDraft, others: SharesOfOthers | null): Quote | null {
  if (distribution.kind === 'fails' || others === null) return { ft: baseUnits(0n), returnReason: null, distribution };
  const { investorsFt, invested, contributors } = distribution;
  const units = (amount * investorsFt) / invested;
  if (units === 0n || others.belowOneUnit > 0) return null;
  if (contributors.some(({ ft, lovelace: ada }) => ft === 0n && ada === 0n)) return null;
  const leftOver = investorsFt - others.units - units;
  // It is the latest, so every equal remainder comes before it.
  return { ft: baseUnits(units + (leftOver > BigInt(others.ahead) ? 1n : 0n)), returnReason: null, distribution };
}
