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
  judge(judged, { vault, handed, end, claims }) {
    requireEnd(judged, end);
    if (claims) requireClaimsOver(judged, claims);
    const { operator, spent } = judged;
    const byAddress = Map.groupBy(handed, ({ address }) => address);
    requireInputsAt(judged, [operator, vault.custody]);
    requireOutputsAt(judged, [operator, vault.custody, vault.claims, ...byAddress.keys()]);
    requireAssetsGained(judged, [vault.claims], new Map());
    requireOperatorGainsNothing(judged);
    for (const [address, theirs] of byAddress) {
      const assets = sumOf(
        theirs.map(({ unit, quantity }) => ({ lovelace: lovelace(0n), assets: new Map([[unit, quantity]]) })),
      );
      requireAssetsGained(judged, [address], assets.assets);
    }
    const beside = spent.filter(({ address }) => address === vault.custody).map(({ assets }) => BigInt(assets.size));
    const most = beside.reduce((sum, assets) => sum + LOVELACE_OF_OUTPUT + assets * LOVELACE_OF_ASSET, 0n);
    requireLovelaceLostAtMost(judged, [vault.custody, vault.claims], most);
  },
};
