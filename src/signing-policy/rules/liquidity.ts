import type { LiquidityEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, requireJust, lifetime, type Rule } from '../policy.ts';

/** The last transaction of a settlement: all that is left stays with the vault, and the operator gets its float back at most. */
export const liquidity: Rule<LiquidityEvidence> = {
  keys: ['vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  judge(judged, { vault, liquidityAddress, float }) {
    const { operator, transaction } = judged;
    requireInputsAt(judged, [vault.settlement]);
    requireOutputsAt(judged, [liquidityAddress, vault.custody, operator]);
    const gain = gainOf(judged, [operator]);
    requireJust(gain.assets.size === 0, "the operator gets the vault's tokens");
    requireJust(
      gain.lovelace + transaction.fee <= float,
      `the operator gets ${gain.lovelace} lovelace of a float of ${float}`,
    );
  },
};
