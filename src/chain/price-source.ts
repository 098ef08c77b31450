import { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { instant } from '../domain/units/instant.ts';
import { lovelace } from '../domain/units/money.ts';
import type { Price } from '../domain/asset/valuation.ts';

/** Source of asset prices (design D15). */
export interface PriceSource {
  /** Lovelace per whole token now; throws PRICE_UNAVAILABLE. */
  priceOf(asset: { policyId: string; assetName: string }): Promise<Price>;
}

const PriceResponse = z
  .object({
    lovelace: z.string().regex(/^\d{1,38}$/),
    decimals: z.int().min(0).max(9),
    asOf: z.iso.datetime(),
    source: z.string().min(1).max(100),
  })
  .transform((body): Price => ({
    lovelace: lovelace(BigInt(body.lovelace)),
    decimals: body.decimals,
    asOf: instant(new Date(body.asOf)),
    source: body.source,
  }));

/** An HTTP feed: `GET {feedUrl}/{policyId}/{assetNameHex or '-'}` → {lovelace, decimals, asOf, source}. */
export function createPriceSource({ feedUrl, timeoutMs = 3000 }: { feedUrl: string; timeoutMs?: number }): PriceSource {
  return {
    async priceOf({ policyId, assetName }) {
      const url = `${feedUrl.replace(/\/$/, '')}/${policyId}/${assetName === '' ? '-' : assetName}`;
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
        if (!response.ok) throw new Error(`the price feed returned ${response.status}`);
        return PriceResponse.parse(await response.json());
      } catch (cause) {
        throw new ServiceError('PRICE_UNAVAILABLE', { policyId, assetName }, { cause });
      }
    },
  };
}
