import type { Unit } from '../../chain/transaction.ts';
import type { OfEndingVault } from '../evidence.ts';
import {
  gainOf,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorLends,
  requireOutputsAt,
} from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';
import { requireEnd } from './termination/vault-end.ts';

/** So many outputs of the pot may need their min-ADA from the operator. */
const MAX_POT_OUTPUTS = 40n;

/** A vault that ends gathers what it shares at its claims address; other assets than its token stay in custody. */
export const gatherPot: Rule<OfEndingVault> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  judge(judged, { vault, ftUnit, end }) {
    // A mint of an earlier release has committed to nothing.
    if (end) requireEnd(judged, end);
    const { operator, transaction, minAda } = judged;
    const { custody, liquidity, claims } = vault;
    requireInputsAt(judged, [operator, custody, liquidity]);
    requireOutputsAt(judged, [operator, custody, claims]);
    requireOperatorLends(judged, MAX_POT_OUTPUTS * minAda.ofToken);
    requireLovelaceLostAtMost(judged, [custody, liquidity, claims], transaction.fee);
    const others = [...gainOf(judged, [claims]).assets.keys()].filter((unit: Unit) => unit !== ftUnit);
    requireJust(others.length === 0, `${others.join()} moves to the pot`);
  },
};
