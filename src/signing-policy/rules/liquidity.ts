import type { LiquidityEvidence } from '../evidence.ts';
import { gainOf, requireInputsAt, requireOutputsAt, assertAllowed, lifetime, type Rule } from '../policy.ts';

/** The last transaction of a settlement: all that is left stays with the vault, and the operator gets its float back at most. */
export const liquidity: Rule<LiquidityEvidence> = {
  keys: ['vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  evaluate(request, { vault, liquidityAddress, float }) {
    const { operator, transaction } = request;
    requireInputsAt(request, [vault.settlement]);
    requireOutputsAt(request, [liquidityAddress, vault.custody, operator]);
    const gain = gainOf(request, [operator]);
    assertAllowed(gain.assets.size === 0, "the operator gets the vault's tokens");
    assertAllowed(
      gain.lovelace + transaction.fee <= float,
      `the operator gets ${gain.lovelace} lovelace of a float of ${float}`,
    );
  },
};
