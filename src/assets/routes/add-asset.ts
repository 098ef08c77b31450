import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { isoText } from '../../platform/units/instant.ts';
import { addAssets, type StartedAssets } from '../add-assets.ts';
import { prefetchAddAssets } from '../add-assets-prefetch.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { depositorText, specUnsignedTransactionText } from '../../platform/http/descriptions.ts';
import { AmountText, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { depositorOf, FUNDS_BODY_LIMIT, namedFundsErrors, payerOf } from '../../transactions/routes/wallet-funds.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../../transactions/routes/owner-script.ts';
import { inSpecForm, presentBuilt, SpecTransaction } from '../../transactions/routes/response.ts';
import { AssetTypeName, ValuationMethodEnum } from './enums.ts';
import { addAssetExamples } from './examples.ts';
import { AddAsset, parseAddAsset } from './request.ts';

const AssetAdded = z.object({
  vault_id: z.uuid(),
  asset_id: z.uuid(),
  transaction: SpecTransaction,
  status: z.literal('added'),
  valuation: z.object({
    method: ValuationMethodEnum,
    value: z
      .number()
      .describe(
        'Value of the asset in the vault at its present price, in lovelace; with FIXED, the price is read once more when the transaction is sent',
      ),
  }),
  type: AssetTypeName,
  wallet_address: z.string().describe('Wallet that brings the asset'),
  delivery_deposit: AmountText.describe('Lovelace sent along with the asset'),
  created_at: Timestamp,
  owner_script: OwnerScript,
});

/** Errors of adding one or several assets. */
export const addAssetErrors = [
  'OPERATION_PAUSED',
  'VAULT_NOT_FOUND',
  'VAULT_ALREADY_ENDED',
  'ASSET_WINDOW_NOT_OPEN',
  'ASSET_WINDOW_CLOSED',
  'CONTRIBUTOR_NOT_WHITELISTED',
  'ASSET_NOT_WHITELISTED',
  'ASSET_IS_REFERENCE_TOKEN',
  'ASSET_TYPE_NOT_ALLOWED',
  'VALUATION_METHOD_NOT_ALLOWED',
  'MAX_ASSETS_REACHED',
  'ASSET_ALREADY_IN_VAULT',
  'ASSET_NOT_IN_WALLET',
  'INSUFFICIENT_FUNDS',
  ...namedFundsErrors,
  'INVALID_ASSET_NAME',
  'INVALID_QUANTITY',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'INSUFFICIENT_PERMISSIONS',
  'PRICE_UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
  'SERVICE_NOT_READY',
] as const;

export const addAssetRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/assets',
  operationId: 'addAsset',
  specified: true,
  summary: 'Add an asset to a vault while its asset window is open',
  description: [
    specUnsignedTransactionText,
    'The transaction also carries `delivery_deposit` lovelace, which pay for delivering or returning the asset; the ' +
      'owner gets back what is left.',
    depositorText('wallet_address'),
    'An asset is an NFT unless the request has a `quantity` or its `type` is CNT; a quantity is in whole tokens.',
    'The ledger has the last word: an NFT has a supply of one. One of an edition is added as a CNT of quantity 1, and an NFT ' +
      'becomes a CNT if more of it exist when its transaction is first seen in a block.',
  ].join(' '),
  success: 'The asset is recorded as PENDING; it becomes LOCKED once its signed transaction is in a block',
  examples: addAssetExamples,
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'asset', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: AddAsset,
  responses: { 201: AssetAdded },
  errors: addAssetErrors,
  errorFields: {
    CONTRIBUTOR_NOT_WHITELISTED: 'wallet_address',
    ASSET_NOT_WHITELISTED: 'policy_id',
    ASSET_IS_REFERENCE_TOKEN: 'asset_name',
    ASSET_TYPE_NOT_ALLOWED: 'type',
    VALUATION_METHOD_NOT_ALLOWED: 'valuation_method',
    ASSET_ALREADY_IN_VAULT: 'asset_name',
    ASSET_NOT_IN_WALLET: 'asset_name',
    PRICE_UNAVAILABLE: 'asset_name',
    INSUFFICIENT_FUNDS: 'wallet_address',
  },
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency }, api) {
    const assets = [parseAddAsset(body)];
    const named = { walletAddress: body.wallet_address, utxos: body.utxos, stakeAddress: body.stake_address };
    const fields = { walletAddress: 'wallet_address', stakeAddress: 'stake_address' };
    const owner = depositorOf(api, await payerOf(api, caller, named, fields), fields.walletAddress);
    const input = { vaultId, assets, errorAt: (cause: unknown) => cause, owner, caller, correlationId };
    const prefetch = await prefetchAddAssets(api, input);
    return runOnce(api, idempotency, async (context) => {
      const started = await addAssets(context, api, input, prefetch);
      return created(presentStartedAsset(started, owner.signer, api.networkId));
    });
  },
});

function presentStartedAsset(
  { assets: [asset], guard, transaction, expiresAt }: StartedAssets,
  signer: 'wallet' | 'platform',
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof AssetAdded>, 'owner_script'> {
  if (!asset) throw new Error('an asset was added');
  return {
    vault_id: asset.vaultId,
    asset_id: asset.id,
    transaction: inSpecForm(presentBuilt(transaction, signer, expiresAt)),
    status: 'added',
    valuation: { method: asset.valuationMethod, value: Number(asset.value) },
    type: asset.customType ?? asset.type,
    wallet_address: asset.owner,
    delivery_deposit: asset.deliveryDeposit.toString(),
    created_at: isoText(asset.addedAt),
    owner_script: depositOwnerScript(guard, asset.owner, networkId),
  };
}
