import express, { Router } from 'express';
import { z } from 'zod';
import { type Instant, isoText } from '../../src/platform/units/time.ts';
import { Refusal, parseBody } from '../ledger/http-response.ts';
import { type Prices, SetPrice } from './feed.ts';

const PolicyId = z.string().regex(/^[0-9a-f]{56}$/, 'must be 28 bytes in lower-case hex');
const AssetName = z.string().regex(/^([0-9a-f]{2}){0,32}$/, 'must be 0-32 bytes in lower-case hex');
const PriceRequest = SetPrice.extend({ policyId: PolicyId, assetNameHex: AssetName.optional() });

/** GET /prices/{policyId}/{assetNameHex or '-' for the empty name} and POST /dev/prices. */
export function priceRoutes(prices: Prices, now: () => Instant): Router {
  const router = Router();

  router.get('/prices/:policyId/:assetName', (req, res) => {
    const policyId = PolicyId.safeParse(req.params.policyId);
    const assetName = AssetName.safeParse(req.params.assetName === '-' ? '' : req.params.assetName);
    if (!policyId.success || !assetName.success) throw new Refusal(400, 'not a policy id and an asset name');
    const { asOf, ...price } = prices.of(policyId.data, assetName.data);
    res.json({ ...price, asOf: asOf ?? isoText(now()), source: 'embedded' });
  });

  router.post('/dev/prices', express.json(), (req, res) => {
    const { policyId, assetNameHex, ...price } = parseBody(PriceRequest, req);
    prices.set(policyId + (assetNameHex ?? '*'), price);
    res.json({ policyId, ...(assetNameHex === undefined ? {} : { assetNameHex }), ...price });
  });
  return router;
}
