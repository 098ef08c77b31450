import { z } from 'zod';
import { isoText } from '../../domain/units/instant.ts';
import { totals } from '../../domain/asset/valuation.ts';
import { lockedAssets } from '../../services/settlements/settlement-input.ts';
import { ok } from '../server/answer.ts';
import { ValuationMethodEnum } from '../assets/enums.ts';
import { route } from '../server/context.ts';
import { AmountText, ResourceId, Timestamp } from '../server/fields.ts';
import { priceTimeText } from '../server/descriptions.ts';
import { requireReadableVault, vaultAttributes } from '../../services/vaults/vault-access.ts';

const Valuation = z.object({
  total: AmountText.describe('Lovelace'),
  breakdown: z.object({
    nftValue: AmountText.describe('Lovelace of all NFTs'),
    cntValue: AmountText.describe('Lovelace of all CNTs'),
  }),
  assetCounts: z.object({ nfts: z.int().describe('LOCKED NFTs'), cnts: z.int().describe('LOCKED CNTs') }),
  timestamp: Timestamp,
  assets: z
    .array(
      z.object({
        assetId: z.uuid(),
        value: AmountText.describe('Lovelace that it counts for'),
        price: AmountText.describe('Lovelace for one whole token'),
        method: ValuationMethodEnum,
        source: z.string().describe('What the price source calls the place the price is from'),
        asOf: Timestamp.describe(priceTimeText),
        ageSeconds: z.int().describe('How long ago `asOf` is'),
      }),
    )
    .describe('Where each value comes from and how old its price is'),
});

export const getValuation = route({
  method: 'get',
  path: '/vaults/:vaultId/valuation',
  operationId: 'readValuation',
  summary: 'What the assets that lie in a vault are worth, in lovelace',
  description:
    'Of LOCKED assets, in lovelace, each with the price it is valued by, where that is from and how old it is.',
  permission: { resource: 'vault', action: 'READ', facts: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: z.object({ status: z.literal('success'), data: z.object({ valuation: Valuation }) }) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const vault = await requireReadableVault(context, caller, params.vaultId);
    const now = await context.readingTime();
    const priced = await lockedAssets(context.db, vault);
    const { total, nftValue, cntValue } = totals(priced.map(({ asset: { type }, value }) => ({ type, value })));
    const countOf = (type: string) => priced.filter(({ asset }) => asset.type === type).length;
    const valuation = {
      total: total.toString(),
      breakdown: { nftValue: nftValue.toString(), cntValue: cntValue.toString() },
      assetCounts: { nfts: countOf('NFT'), cnts: countOf('CNT') },
      timestamp: isoText(now),
      assets: priced.map(({ asset, price, value }) => ({
        assetId: asset.id,
        value: value.toString(),
        price: price.lovelace.toString(),
        method: asset.valuationMethod,
        source: price.source,
        asOf: isoText(price.asOf),
        ageSeconds: Math.max(0, Math.floor((now - price.asOf) / 1000)),
      })),
    };
    return ok({ status: 'success', data: { valuation } });
  },
});
