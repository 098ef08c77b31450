import { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';
import { instant } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import type { Price } from '../prices/rules.ts';

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
    supply: z
      .string()
      .regex(/^\d{1,38}$/)
      .optional(),
    depth: z
      .string()
      .regex(/^\d{1,38}$/)
      .optional(),
  })
  .transform((body): Price => ({
    lovelace: lovelace(BigInt(body.lovelace)),
    decimals: body.decimals,
    asOf: instant(new Date(body.asOf)),
    source: body.source,
    marketLimit: marketLimitOf(body),
  }));

/** All ADA that will ever exist, in lovelace. */
const ALL_LOVELACE = 45_000_000_000_000_000n;

/** The depth of the market, and never more than the price of the whole supply. */
function marketLimitOf(body: { lovelace: string; supply?: string | undefined; depth?: string | undefined }) {
  const ofSupply = body.supply === undefined ? undefined : BigInt(body.supply) * BigInt(body.lovelace);
  const depth = body.depth === undefined ? undefined : BigInt(body.depth);
  const limit = ofSupply === undefined || (depth !== undefined && depth < ofSupply) ? depth : ofSupply;
  // No market takes more ADA than there is; such a product has more digits than a column.
  return limit === undefined || limit > ALL_LOVELACE ? undefined : lovelace(limit);
}

/**
 * An HTTP feed: `GET {feedUrl}/{policyId}/{assetNameHex or '-'}` → {lovelace, decimals, asOf, source}, and optionally
 * `supply`, the whole tokens that exist, and `depth`, the lovelace for which the market takes this asset at about this price.
 */
export function createPriceSource({ feedUrl, timeoutMs = 3000 }: { feedUrl: string; timeoutMs?: number }): PriceSource {
  return {
    async priceOf({ policyId, assetName }) {
      const url = `${feedUrl.replace(/\/$/, '')}/${policyId}/${assetName === '' ? '-' : assetName}`;
      try {
        // A redirection could lead to an address that is not encrypted.
        const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
        if (!response.ok) throw new Error(`the price feed returned ${response.status}`);
        return PriceResponse.parse(await response.json());
      } catch (cause) {
        throw new ServiceError('PRICE_UNAVAILABLE', { policyId, assetName }, { cause });
      }
    },
  };
}
