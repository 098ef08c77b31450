import type { HandOverEvidence } from '../evidence.ts';
import {
  requireAssetsGained,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorGainsNothing,
  requireOutputsAt,
  sumOf,
  lifetime,
  type Rule,
} from '../policy.ts';
import { lovelace } from '../../platform/units/money.ts';
import { lackingLovelace } from '../min-ada.ts';
import { requireClaimsOver, requireEnd } from './termination.ts';

/** The ADA that may leave with assets: what is more goes into the pot. */
const LOVELACE_OF_OUTPUT = 5_000_000n;
const LOVELACE_OF_ASSET = 2_000_000n;

/** A vault that ends gives assets to the wallets that were named for them; other assets stay in custody. */
export const handOver: Rule<HandOverEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays: lackingLovelace,
  evaluate(request, { vault, handed, end, claims }) {
    requireEnd(request, end);
    if (claims) requireClaimsOver(request, claims);
    const { operator, spent } = request;
    const byAddress = Map.groupBy(handed, ({ address }) => address);
    requireInputsAt(request, [operator, vault.custody]);
    requireOutputsAt(request, [operator, vault.custody, vault.claims, ...byAddress.keys()]);
    requireAssetsGained(request, [vault.claims], new Map());
    requireOperatorGainsNothing(request);
    for (const [address, theirs] of byAddress) {
      const assets = sumOf(
        theirs.map(({ unit, quantity }) => ({ lovelace: lovelace(0n), assets: new Map([[unit, quantity]]) })),
      );
      requireAssetsGained(request, [address], assets.assets);
    }
    const assetCounts = spent
      .filter(({ address }) => address === vault.custody)
      .map(({ assets }) => BigInt(assets.size));
    const most = assetCounts.reduce((sum, assets) => sum + LOVELACE_OF_OUTPUT + assets * LOVELACE_OF_ASSET, 0n);
    requireLovelaceLostAtMost(request, [vault.custody, vault.claims], most);
  },
};
