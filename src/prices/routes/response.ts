import { z } from 'zod';
import { ageSeconds, type Instant, isoText } from '../../platform/units/instant.ts';
import type { PricedAsset } from '../rules/priced-asset.ts';
import type { Asset } from '../../assets/queries/assets.ts';
import type { VaultValuation } from '../read-valuation.ts';
import { ValuationMethodEnum } from '../../assets/routes/enums.ts';
import { priceTimeText } from '../../platform/http/descriptions.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';

const AssetValue = z.object({
  assetId: z.uuid(),
  value: AmountText.describe('Value of the asset in lovelace'),
  settledValue: AmountText.nullable().describe(
    'Lovelace that the settlement counted for the asset; null before, or if it did not count',
  ),
  price: AmountText.describe('Lovelace for one whole token'),
  method: ValuationMethodEnum,
  source: z.string().describe('Where the price comes from, as named by the price source; `admin` for a custom price'),
  asOf: Timestamp.describe(priceTimeText),
  ageSeconds: z.int().describe('Seconds since `asOf`'),
});

export const ValuationResource = z.object({
  total: AmountText.describe('Lovelace'),
  breakdown: z.object({
    nftValue: AmountText.describe('Lovelace of all NFTs'),
    cntValue: AmountText.describe('Lovelace of all CNTs'),
  }),
  assetCounts: z.object({
    nfts: z.int().describe('Number of LOCKED NFTs'),
    cnts: z.int().describe('Number of LOCKED CNTs'),
  }),
  timestamp: Timestamp,
  settled: z
    .object({
      total: AmountText.describe('Lovelace that the assets counted with'),
      at: Timestamp.describe('When the settlement was planned'),
    })
    .nullable()
    .describe('What the settlement counted; null until it is planned'),
  assets: z.array(AssetValue).describe('The value of each asset, and the source and age of its price'),
});

export function presentValuation({
  totals: { total, nftValue, cntValue },
  counts,
  assets,
  settled,
  now,
}: VaultValuation): z.input<typeof ValuationResource> {
  return {
    total: total.toString(),
    breakdown: { nftValue: nftValue.toString(), cntValue: cntValue.toString() },
    assetCounts: { nfts: counts.NFT, cnts: counts.CNT },
    timestamp: isoText(now),
    settled: settled && { total: settled.total.toString(), at: isoText(settled.at) },
    assets: assets.map((asset) => presentAssetValue(asset, now)),
  };
}

function presentAssetValue({ asset, price, value }: PricedAsset<Asset>, now: Instant): z.input<typeof AssetValue> {
  return {
    assetId: asset.id,
    value: value.toString(),
    settledValue: asset.countedValue?.toString() ?? null,
    price: price.lovelace.toString(),
    method: asset.valuationMethod,
    source: price.source,
    asOf: isoText(price.asOf),
    ageSeconds: ageSeconds(price.asOf, now),
  };
}
