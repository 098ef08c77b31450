import { policyOf } from '../../assets/rules/asset.ts';
import type { ClosingEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, assertAllowed, lifetime, type Rule } from '../policy.ts';
import { atLeastNothing, lackingLovelace, lovelaceFrom, minAdaAt } from '../min-ada.ts';
import { lentToPot, requireEnd } from './termination.ts';

/** The vault's own tokens stay in custody, what can still be claimed in the pot; the ADA that neither needs goes back to the operator, who lent it. */
export const closeVault: Rule<ClosingEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(request, { vault: { custody } }) {
    const lacking = minAdaAt(request, [custody]) - lovelaceFrom(request, custody);
    return lackingLovelace(request) + atLeastNothing(lacking);
  },
  evaluate(request, { vault, policies, end, ...recorded }) {
    requireEnd(request, end);
    const { operator, spent, minAda } = request;
    requireInputsAt(request, [operator, vault.custody, vault.claims]);
    requireOutputsAt(request, [operator, vault.custody, vault.claims]);
    const ofVault = spent.filter(({ address }) => address !== operator);
    const other = ofVault
      .flatMap(({ assets }) => [...assets.keys()])
      .find((unit) => !policies.includes(policyOf(unit)));
    assertAllowed(other === undefined, `it moves ${other}, which is not a token of the vault`);
    const identity = ofVault.filter(({ address }) => address === vault.custody).length;
    const lent = lentToPot(request, recorded) + BigInt(identity) * minAda.ofAny;
    const gain = gainOf(request, [operator]);
    assertAllowed(gain.assets.size === 0, 'tokens leave the vault');
    assertAllowed(gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace of ${lent} that it lent`);
  },
};
