import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { assetOwnershipAttributes } from '../read-assets.ts';
import { removeAsset } from '../remove-asset.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { platformSignedText } from '../../platform/http/descriptions.ts';
import { AmountText, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { inSpecForm, presentPending, SpecTransaction } from '../../transactions/routes/response.ts';

const AssetRemoved = z.object({
  status: z.literal('success'),
  data: z.object({
    assetId: z.uuid(),
    removalStatus: z
      .literal('COMPLETED')
      .describe('The asset no longer counts in the vault; `transaction` has the status of its return'),
    transactionHash: z.string().describe('Hash of the transaction that returns the asset'),
    updatedValuation: z.object({
      total: AmountText.describe('Value of the remaining assets in lovelace'),
      timestamp: Timestamp,
    }),
    transaction: SpecTransaction,
  }),
});

export const removeAssetRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'removeAsset',
  specified: true,
  summary: 'Return an asset to its contributor while the asset window is open',
  description: [
    "The contributor and the vault's admin may remove an asset once it is LOCKED. Its delivery deposit pays the fee.",
    'In the last day of the window (in the second half of one shorter than two days) the admin may remove only what came in that time.',
    platformSignedText,
  ].join(' '),
  success: 'The return of the asset has started; the asset no longer counts in the vault',
  permission: { resource: 'asset', action: 'DELETE', attributes: assetOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId, assetId: ResourceId }),
  responses: { 200: AssetRemoved },
  errors: [
    'VAULT_NOT_FOUND',
    'ASSET_NOT_FOUND',
    'VAULT_ALREADY_ENDED',
    'ASSET_WINDOW_NOT_OPEN',
    'ASSET_WINDOW_CLOSED',
    'ASSET_NOT_LOCKED',
    'ASSET_ALREADY_LEAVING',
    'ASSET_ALREADY_REMOVED',
    'INSUFFICIENT_FUNDS',
    'LEDGER_UNAVAILABLE',
  ],
  async handle({ params, caller, correlationId, idempotency }, api) {
    const chain = await api.networkState();
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, caller, correlationId };
      const { transaction, remainingValue } = await removeAsset(context, api, input, chain);
      const data = {
        assetId: params.assetId,
        removalStatus: 'COMPLETED',
        transactionHash: transaction.hash,
        updatedValuation: { total: remainingValue.toString(), timestamp: isoText(context.now) },
        transaction: inSpecForm(presentPending(transaction.hash)),
      } as const;
      return ok({ status: 'success', data });
    });
  },
});
