import type { Unit } from '../../../cardano/transaction.ts';
import { FULL_SHARE } from '../../../platform/units/money.ts';
import type { CommittedPlan } from '../../evidence.ts';
import { sumOf } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** More than the operator adds with a mint. */
const LARGEST_FLOAT = 20_000_000n;

interface Delivery {
  readonly settlement: string;
  readonly ftUnit: Unit;
  /** The deposits that are delivered, by the plan. */
  readonly delivered: readonly { readonly invested: bigint; readonly ft: bigint }[];
}

/**
 * Throws when contributors are paid while the settlement has the tokens of an investor who did not reclaim: their share counts on ADA that has
 * not come in, which that investor could take back. Throws as well when more ADA has come in than investors are said to have kept. The tokens lie
 * in one output, so that none are counted elsewhere.
 */
export function requireInvestorsFirst(
  { transaction, spent }: Pick<Judged, 'transaction' | 'spent'>,
  { settlement, ftUnit, delivered }: Delivery,
  { terms, shares, invested, kept }: CommittedPlan,
): void {
  const at = ({ address }: { readonly address: string }) => address === settlement;
  const inputs = spent.filter(at);
  requireJust(inputs.length === 1 && transaction.outputs.filter(at).length === 1, 'it divides the settlement');
  const investors = delivered.filter((one) => one.invested > 0n);
  if (investors.length === delivered.length) return;
  const { lovelace, assets } = sumOf(inputs);
  const come = investors.reduce((sum, one) => sum + one.invested, lovelace);
  requireJust(
    kept === invested || come <= kept + LARGEST_FLOAT,
    `${come} lovelace have come in, of which ${kept} are said to be kept`,
  );
  const held = (assets.get(ftUnit) ?? 0n) - investors.reduce((sum, { ft }) => sum + ft, 0n);
  const forInvestors = investorsPart(terms);
  const others = terms.supply - forInvestors;
  // Each part is rounded.
  const reclaimed = kept < invested ? (forInvestors * (invested - kept)) / invested + BigInt(shares.size) : 0n;
  requireJust(held <= others + reclaimed, `${held - others - reclaimed} tokens of investors are not delivered yet`);
}

/** The tokens of all investors. */
function investorsPart({ supply, ftPercentage, lpPercentage }: CommittedPlan['terms']): bigint {
  const shared = supply - (supply * lpPercentage) / (2n * FULL_SHARE);
  return (shared * ftPercentage) / FULL_SHARE;
}
