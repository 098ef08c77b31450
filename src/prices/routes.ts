import { z } from 'zod';
import { route } from '../api-context.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { ValuationMethodEnum } from '../assets/schemas.ts';
import { priceTimeText, AmountText, Timestamp, ResourceId } from '../platform/http/fields.ts';
import { ok } from '../platform/http/route.ts';
import { ageSeconds, type Instant, isoText } from '../platform/units/time.ts';
import type { PricedAsset } from './rules/priced-asset.ts';
import { type VaultValuation, readValuation } from './valuations.ts';
import { vaultAttributes } from '../vaults/require-vault.ts';

const AssetValue = z.object({
  assetId: z.uuid(),
  value: AmountText.describe('Value of the asset in lovelace.'),
  settledValue: AmountText.nullable().describe(
    'Lovelace that the settlement counted for the asset. `null` before the settlement, or if the asset did not count.',
  ),
  price: AmountText.describe('Lovelace for one whole token.'),
  method: ValuationMethodEnum,
  source: z.string().describe('Source of the price, as named by the price source. `admin` for a custom price.'),
  asOf: Timestamp.describe(priceTimeText),
  ageSeconds: z.int().describe('Seconds since `asOf`.'),
});

const ValuationResource = z.object({
  total: AmountText.describe('Lovelace'),
  breakdown: z.object({
    nftValue: AmountText.describe('Lovelace of all NFTs.'),
    cntValue: AmountText.describe('Lovelace of all CNTs.'),
  }),
  assetCounts: z.object({
    nfts: z.int().describe('Number of LOCKED NFTs.'),
    cnts: z.int().describe('Number of LOCKED CNTs.'),
  }),
  timestamp: Timestamp,
  settled: z
    .object({
      total: AmountText.describe('Value of the assets at the settlement, in lovelace.'),
      at: Timestamp.describe('Time at which the settlement was planned.'),
    })
    .nullable()
    .describe('Values that the settlement counted. `null` until it is planned.'),
  assets: z.array(AssetValue).describe('Value of each asset, with the source and age of its price.'),
});

function presentValuation({
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

export const getValuationRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/valuation',
  operationId: 'readValuation',
  specified: true,
  summary: 'Get the value of a vault',
  description:
    'Returns the value of each LOCKED asset in lovelace, with the source and age of its price. Before the ' +
    'settlement, assets have the value that the settlement would count. Afterwards, they have the last known ' +
    'market price, and `settled` contains the values that the settlement counted.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: z.object({ status: z.literal('success'), data: z.object({ valuation: ValuationResource }) }) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const value = await readValuation(context, caller, params.vaultId);
    const valuation = presentValuation(value);
    return ok({ status: 'success', data: { valuation } });
  },
});
