import type { RemainderEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, requireJust, lifetime, type Rule } from '../policy.ts';
import { atLeastNothing, lovelaceFrom, minAdaAt } from '../min-ada.ts';
import { requireClaimsOver, lentToPot, requireEnd } from './termination.ts';

/** What nobody claimed goes to the wallet that was named for it; the operator gets back what it lent for the outputs of the pot. */
export const payRemainder: Rule<RemainderEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(judged, { vault, recipient }) {
    const paid = gainOf(judged, [recipient]).lovelace;
    return atLeastNothing(paid + minAdaAt(judged, [vault.claims]) - lovelaceFrom(judged, vault.claims));
  },
  judge(judged, { vault, recipient, remainder, ftUnit, end, claims, ...recorded }) {
    requireEnd(judged, end);
    requireClaimsOver(judged, claims);
    const { operator, minAda } = judged;
    requireInputsAt(judged, [operator, vault.claims]);
    requireOutputsAt(judged, [operator, vault.claims, recipient]);
    const paid = gainOf(judged, [recipient]);
    const most = remainder < minAda.ofToken ? minAda.ofToken : remainder;
    requireJust(paid.assets.size === 0, 'assets leave with the remainder');
    requireJust(
      paid.lovelace >= remainder && paid.lovelace <= most,
      `${paid.lovelace} lovelace are paid of a remainder of ${remainder}`,
    );
    const tokens = gainOf(judged, [vault.claims]).assets;
    requireJust((tokens.get(ftUnit) ?? 0n) === 0n, 'redeemed tokens leave the pot');
    const gain = gainOf(judged, [operator]);
    const lent = lentToPot(judged, recorded);
    requireJust(gain.assets.size === 0 && gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace`);
  },
};
