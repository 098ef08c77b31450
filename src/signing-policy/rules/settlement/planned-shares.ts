import { readPaymentKeyHash } from '../../../cardano/scripts/address.ts';
import { liquidityLovelace } from '../../../settlement/rules/distribution.ts';
import type { PlannedShare } from '../../../settlement/rules/owed-delivery.ts';
import type { SettlementPlan } from '../../../settlement/rules/plan-commitment.ts';
import type { Steps } from '../../../platform/states/steps.ts';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import { FULL_SHARE } from '../../../platform/units/money.ts';
import type { PlannedDeposits } from '../../evidence.ts';
import { equalAssets } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';
import type { VaultPlaces } from '../../places.ts';
import { requireDeposit } from './deposit.ts';
import { shownAddresses } from '../../shown-addresses.ts';
import { isPartOf } from './part-of.ts';

/**
 * Throws unless a plan divides the supply, and what was invested, by its terms among deposits that lie on the ledger: FT among investors by
 * what they have invested, FT and ADA among contributors by what their assets count with, which are those that lie there.
 */
export function* requirePlanned(
  judged: Pick<Judged, 'networkId'>,
  vault: VaultPlaces,
  { plan, held }: PlannedDeposits,
): Steps<void> {
  for (const share of plan.shares) {
    const output = held.get(refText(share.deposit));
    requireJust(output !== undefined, `${refText(share.deposit)} is not on the ledger`);
    requireDeposit(judged, vault, output, share);
    const shown = shownAddresses(output.paid, readPaymentKeyHash(share.owner));
    requireJust(
      shown.length === 0 || shown.includes(share.owner),
      `the change of ${refText(share.deposit)} went to ${shown.join()}`,
    );
    const isOne = share.invested > 0n ? share.value === 0n && share.lovelace === 0n : output.assets.size === 1;
    requireJust(isOne, `${refText(share.deposit)} is neither one asset nor an investment`);
    requireJust(
      equalAssets(output.assets, share.contributed),
      `${refText(share.deposit)} holds other assets than counted`,
    );
    yield;
  }
  const deposits = new Set(plan.shares.map(({ deposit }) => refText(deposit)));
  requireJust(deposits.size === plan.shares.length, 'its plan counts a deposit twice');
  requireDivided(plan);
}

function requireDivided({ terms, shares }: SettlementPlan): void {
  const { supply, ftPercentage, lpPercentage } = terms;
  const shared = supply - (supply * lpPercentage) / (2n * FULL_SHARE);
  const investorsFt = (shared * ftPercentage) / FULL_SHARE;
  const investors = shares.filter(({ invested }) => invested > 0n);
  const contributors = shares.filter(({ invested }) => invested === 0n);
  const invested = sumOf(investors, 'invested');
  requireParts(investorsFt, investors, { part: 'ft', weight: 'invested' });
  requireParts(shared - investorsFt, contributors, { part: 'ft', weight: 'value' });
  requireParts(invested - liquidityLovelace(invested, terms), contributors, { part: 'lovelace', weight: 'value' });
}

type Amount = 'invested' | 'value' | 'ft' | 'lovelace';

/** A plan may leave out everybody who would have a part of something: their deposits stay their own. */
function requireParts(
  total: bigint,
  shares: readonly PlannedShare[],
  { part, weight }: { readonly part: Amount; readonly weight: Amount },
): void {
  if (shares.length === 0) return;
  const weights = sumOf(shares, weight);
  const other = shares.find((share) => !isPartOf({ total, part: share[part], weight: share[weight], weights }));
  requireJust(!other, `its plan gives another part for ${other && refText(other.deposit)}`);
  requireJust(sumOf(shares, part) === total, `its plan gives ${sumOf(shares, part)} of ${total}`);
}

function sumOf(shares: readonly PlannedShare[], amount: Amount): bigint {
  return shares.reduce((sum, share) => sum + share[amount], 0n);
}
