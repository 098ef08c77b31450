import { policyOf } from '../../assets/rules/asset.ts';
import type { ClosingEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, requireJust, lifetime, type Rule } from '../policy.ts';
import { atLeastNothing, lackingLovelace, lovelaceFrom, minAdaAt } from '../min-ada.ts';
import { lentToPot, requireEnd } from './termination.ts';

/** The vault's own tokens stay in custody, what can still be claimed in the pot; the ADA that neither needs goes back to the operator, who lent it. */
export const closeVault: Rule<ClosingEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(judged, { vault: { custody } }) {
    const lacking = minAdaAt(judged, [custody]) - lovelaceFrom(judged, custody);
    return lackingLovelace(judged) + atLeastNothing(lacking);
  },
  judge(judged, { vault, policies, end, ...recorded }) {
    requireEnd(judged, end);
    const { operator, spent, minAda } = judged;
    requireInputsAt(judged, [operator, vault.custody, vault.claims]);
    requireOutputsAt(judged, [operator, vault.custody, vault.claims]);
    const ofVault = spent.filter(({ address }) => address !== operator);
    const other = ofVault
      .flatMap(({ assets }) => [...assets.keys()])
      .find((unit) => !policies.includes(policyOf(unit)));
    requireJust(other === undefined, `it moves ${other}, which is not a token of the vault`);
    const identity = ofVault.filter(({ address }) => address === vault.custody).length;
    const lent = lentToPot(judged, recorded) + BigInt(identity) * minAda.ofAny;
    const gain = gainOf(judged, [operator]);
    requireJust(gain.assets.size === 0, 'tokens leave the vault');
    requireJust(gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace of ${lent} that it lent`);
  },
};
