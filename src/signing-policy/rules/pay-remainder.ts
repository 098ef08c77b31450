import type { RemainderEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, assertAllowed, lifetime, type Rule } from '../policy.ts';
import { atLeastNothing, lovelaceFrom, minAdaAt } from '../min-ada.ts';
import { requireClaimsOver, lentToPot, requireEnd } from './termination.ts';

/** What nobody claimed goes to the wallet that was named for it; the operator gets back what it lent for the outputs of the pot. */
export const payRemainder: Rule<RemainderEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(request, { vault, recipient }) {
    const paid = gainOf(request, [recipient]).lovelace;
    return atLeastNothing(paid + minAdaAt(request, [vault.claims]) - lovelaceFrom(request, vault.claims));
  },
  evaluate(request, { vault, recipient, remainder, ftUnit, end, claims, ...recorded }) {
    requireEnd(request, end);
    requireClaimsOver(request, claims);
    const { operator, minAda } = request;
    requireInputsAt(request, [operator, vault.claims]);
    requireOutputsAt(request, [operator, vault.claims, recipient]);
    const paid = gainOf(request, [recipient]);
    const most = remainder < minAda.ofToken ? minAda.ofToken : remainder;
    assertAllowed(paid.assets.size === 0, 'assets leave with the remainder');
    assertAllowed(
      paid.lovelace >= remainder && paid.lovelace <= most,
      `${paid.lovelace} lovelace are paid of a remainder of ${remainder}`,
    );
    const tokens = gainOf(request, [vault.claims]).assets;
    assertAllowed((tokens.get(ftUnit) ?? 0n) === 0n, 'redeemed tokens leave the pot');
    const gain = gainOf(request, [operator]);
    const lent = lentToPot(request, recorded);
    assertAllowed(gain.assets.size === 0 && gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace`);
  },
};
