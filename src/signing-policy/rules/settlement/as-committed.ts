import { liquidityLovelace } from '../../../settlement/rules/distribution.ts';
import type { OwedDelivery } from '../../../settlement/rules/owed-delivery.ts';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import type { CommittedPlan } from '../../evidence.ts';
import { type Judged, requireJust } from '../../judged.ts';
import type { VaultPlaces } from '../../places.ts';
import { isPartOf } from './part-of.ts';

/**
 * Throws unless what is owed for each deposit is what the plan gives for it. From T on, when owners may have taken investments back, it is
 * the same part of the ADA that is left.
 */
export function requireAsCommitted(
  { slot }: Pick<Judged, 'slot'>,
  { settlesBySlot }: Pick<VaultPlaces, 'settlesBySlot'>,
  delivered: readonly OwedDelivery[],
  { terms, shares, invested, value, kept }: CommittedPlan,
): void {
  const isRevised = kept !== invested;
  requireJust(
    !isRevised || (kept < invested && slot >= settlesBySlot),
    `${kept} of ${invested} invested lovelace are left`,
  );
  const remaining = { total: kept - liquidityLovelace(kept, terms), weights: value };
  for (const { deposit, owner, invested: amount, ft, lovelace } of delivered) {
    const planned = shares.get(refText(deposit));
    requireJust(
      planned?.owner === owner && planned.invested === amount && planned.ft === ft,
      `the mint has committed to another share for ${refText(deposit)}`,
    );
    const isJust = isRevised
      ? lovelace <= planned.lovelace && isPartOf({ ...remaining, part: lovelace, weight: planned.value })
      : lovelace === planned.lovelace;
    requireJust(isJust, `the mint has committed to another share of the ADA for ${refText(deposit)}`);
  }
}
