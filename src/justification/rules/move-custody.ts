import type { OfVault } from '../evidence.ts';
import {
  gainOf,
  negated,
  requireAssetsGained,
  requireInputsAt,
  requireOperatorLends,
  requireOutputsAt,
} from '../flows.ts';
import { lifetime, type Rule } from '../rule.ts';

/** What a vault has at addresses of before a rotation goes to its present ones, custody to custody; the operator pays for that. */
export const moveCustody: Rule<OfVault> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.cosigned,
  judge(judged, { vault }) {
    const { operator, minAda, spent } = judged;
    const { custody, liquidity, former } = vault;
    requireInputsAt(judged, [operator, ...former.custodies, ...former.liquidities]);
    requireOutputsAt(judged, [operator, custody, liquidity]);
    requireAssetsGained(judged, [custody], negated(gainOf(judged, former.custodies).assets));
    requireAssetsGained(judged, [liquidity], negated(gainOf(judged, former.liquidities).assets));
    requireOperatorLends(judged, BigInt(spent.length) * minAda.ofAny);
  },
};
