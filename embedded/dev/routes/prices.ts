import { z } from 'zod';
import { parseAssetName } from '../../../src/assets/rules/asset.ts';
import { fieldError } from '../../../src/platform/errors.ts';
import { ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { PolicyId } from '../../../src/platform/http/fields.ts';
import { type Development, developerPermission } from '../development.ts';

const invalidLovelace = 'Must be a whole number of lovelace.';
const Price = z.strictObject({
  policyId: PolicyId,
  assetName: z.string().max(66).optional(),
  lovelace: z.union([z.int().min(0), z.string().regex(/^(0|[1-9]\d{0,17})$/, invalidLovelace)], invalidLovelace),
  decimals: z.int().min(0).max(9).optional(),
  asOf: z.iso.datetime().optional(),
});

const PriceSet = z.object({
  policyId: z.string(),
  assetNameHex: z.string().nullable(),
  lovelace: z.string(),
  decimals: z.int(),
});

export const setPrice = ({ ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/prices',
    operationId: 'devSetPrice',
    summary: 'Set the price of an asset',
    description:
      'Sets the price in lovelace for one whole token. Without `assetName`, it applies to every asset of the ' +
      'policy without a price of its own. With `asOf`, the price keeps its time and becomes stale. `decimals` ' +
      'are those of the token.',
    success: 'The current price',
    examples: {
      nft: { policyId: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', lovelace: 250_000_000 },
    },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: Price,
    responses: { 200: PriceSet },
    errors: ['INVALID_ASSET_NAME', 'LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body: { policyId, assetName, lovelace: amount, decimals, asOf } }) {
      const assetNameHex = assetName === undefined ? undefined : parseAssetName(assetName);
      if (assetName !== undefined && assetNameHex === undefined) {
        throw fieldError('INVALID_ASSET_NAME', 'assetName', 'At most 32 bytes, as text or as hex after `0x`.');
      }
      const lovelace = String(amount);
      const set = await ledgerControls.setPrice({
        policyId,
        lovelace,
        ...(assetNameHex !== undefined && { assetNameHex }),
        ...(decimals !== undefined && { decimals }),
        ...(asOf !== undefined && { asOf }),
      });
      return ok({ policyId, assetNameHex: assetNameHex ?? null, lovelace, decimals: set.decimals });
    },
  });
