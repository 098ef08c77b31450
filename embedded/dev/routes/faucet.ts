import { z } from 'zod';
import type { NetworkId } from '../../../src/cardano/transaction.ts';
import { addressError, readPaymentAddress } from '../../../src/cardano/scripts/address.ts';
import { parseAssetName } from '../../../src/assets/rules/asset.ts';
import { fieldError } from '../../../src/platform/errors.ts';
import { ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { exampleWallet } from '../../../src/transactions/routes/examples.ts';
import { AddressText, LovelaceAmount } from '../../../src/platform/http/fields.ts';
import { type Development, developerPermission } from '../development.ts';

const MAX_QUANTITY = 2n ** 63n - 1n;

const quantityWords = 'A quantity must be a whole number above 0.';
const Quantity = z
  .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/, quantityWords)], quantityWords)
  .refine((value) => BigInt(value) <= MAX_QUANTITY, {
    error: 'An output holds at most 2^63 - 1 of an asset.',
    params: { code: 'TOO_BIG' },
  });

const Gift = z.strictObject({
  address: AddressText,
  lovelace: LovelaceAmount.optional(),
  assets: z
    .array(z.strictObject({ assetName: z.string().max(66), quantity: Quantity }))
    .max(100)
    .default([]),
});

export const faucetRoute = ({ networkId, ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/faucet',
    operationId: 'devFaucet',
    summary: 'Give ADA and test assets',
    description:
      'Sends ADA and newly minted assets to any address. They are in a block when this responds. All assets of ' +
      'one call have one policy, which the response names. `assetName` is text, or hex after `0x`. Quantities ' +
      'are base units.',
    success: 'The gift is in a block',
    examples: {
      both: { address: exampleWallet, lovelace: 500_000_000, assets: [{ assetName: 'HarbourLoft001', quantity: 1 }] },
    },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: Gift,
    responses: { 200: z.object({ txHash: z.string(), policyId: z.string() }) },
    errors: ['INVALID_ADDRESS', 'WRONG_NETWORK', 'INVALID_ASSET_NAME', 'LEDGER_SWITCH_REFUSED', 'LEDGER_UNAVAILABLE'],
    async handle({ body: { address, lovelace, assets } }) {
      const given = await ledgerControls.give({
        address: requireAddress(address, networkId),
        ...(lovelace !== undefined && { lovelace: String(lovelace) }),
        assets: assets.map(({ assetName, quantity }, position) => ({
          assetNameHex: requireAssetName(assetName, `assets.${position}.assetName`),
          quantity: String(quantity),
        })),
      });
      await ledgerControls.mine(1);
      return ok(given);
    },
  });

function requireAssetName(text: string, field: string): string {
  const hex = parseAssetName(text);
  if (hex === undefined)
    throw fieldError('INVALID_ASSET_NAME', field, 'At most 32 bytes, as text or as hex after `0x`.');
  return hex;
}

/** Returns the address in lower case. Script addresses are accepted: tests use them to create unsolicited UTxOs. */
function requireAddress(text: string, networkId: NetworkId): string {
  const address = readPaymentAddress(text, networkId);
  if (address !== undefined) return address;
  if (readPaymentAddress(text, networkId === 0 ? 1 : 0) !== undefined) throw addressError('wrong_network', 'address');
  throw fieldError('INVALID_ADDRESS', 'address', 'This is not a Cardano payment address.');
}
