import { z } from 'zod';
import { route } from '../api-context.ts';
import { addAssets, type StartedAssets, prefetchAddAssets } from './add-assets.ts';
import { listPricedAssets, readPricedAsset, assetOwnershipAttributes } from './read-assets.ts';
import { removeAsset } from './remove-asset.ts';
import { assetStatuses, assetTypes } from './rules/asset.ts';
import {
  AssetTypeName,
  ValuationMethodEnum,
  addAssetExamples,
  AddAsset,
  parseAddAsset,
  AssetResource,
  presentAsset,
} from './schemas.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import {
  depositorText,
  specUnsignedTransactionText,
  platformSignedText,
  AmountText,
  ResourceId,
  Timestamp,
  AddressFilter,
  CaseInsensitive,
  TypeFilter,
} from '../platform/http/fields.ts';
import { Pagination, Enveloped, enveloped, pageOf, pageQuery, paginationOf } from '../platform/http/envelope.ts';
import { created, ok } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { isoText } from '../platform/units/time.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../transactions/routes/owner-script.ts';
import { inSpecForm, presentBuilt, SpecTransaction, presentPending } from '../transactions/routes/response.ts';
import { depositorOf, FUNDS_BODY_LIMIT, namedFundsErrors, payerOf } from '../transactions/routes/wallet-funds.ts';

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
        'Value of the asset in the vault at its current price, in lovelace. With FIXED, the price is read again ' +
          'when the transaction is sent.',
      ),
  }),
  type: AssetTypeName,
  wallet_address: z.string().describe('Wallet that deposits the asset.'),
  delivery_deposit: AmountText.describe(
    'Lovelace sent with the asset. It pays for the delivery or return, and the owner gets the rest back.',
  ),
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

const addAssetRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/assets',
  operationId: 'addAsset',
  specified: true,
  summary: 'Add an asset',
  description: [
    'Adds an asset while the asset window is open.',
    specUnsignedTransactionText,
    depositorText('wallet_address'),
    'An asset is an NFT, with a supply of one, unless the request has a `quantity` or the `type` CNT. Add a ' +
      'token of an edition as a CNT of quantity 1. If an NFT has more units when its transaction reaches a block, ' +
      'it becomes a CNT.',
  ].join('\n\n'),
  success: 'The asset is PENDING. It becomes LOCKED when the signed transaction is in a block.',
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

export const listAssetsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets',
  operationId: 'listAssets',
  specified: true,
  summary: 'List the assets of a vault',
  description:
    'Prices are in lovelace for one whole token. `currentValue` is the value of the asset in the vault, in ' +
    'lovelace. Omits assets whose deposit never reached the ledger.',
  success: 'A page of assets',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['addedAt', 'status', 'type']),
    status: CaseInsensitive(assetStatuses).optional(),
    type: TypeFilter(assetTypes),
    addedBy: AddressFilter.optional(),
  }),
  responses: {
    200: z.object({
      status: z.literal('success'),
      data: z.object({ assets: z.array(AssetResource), pagination: Pagination }),
    }),
  },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, type, addedBy: owner } = query;
    const filter = { vaultId, status, type, owner };
    const { assets, count } = await listPricedAssets(api, caller, filter, pageOf(query, 'addedAt:asc'));
    const data = {
      assets: assets.map((asset) => presentAsset(asset, api.networkId)),
      pagination: paginationOf(query, count),
    };
    return ok({ status: 'success', data });
  },
});

const readAssetRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'readAsset',
  summary: 'Get an asset',
  description:
    'Includes assets whose deposit never reached the ledger. Prices are in lovelace for one whole token. ' +
    '`releaseReason` says why an asset has left the vault.',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, assetId: ResourceId }),
  responses: { 200: Enveloped(AssetResource) },
  errors: ['VAULT_NOT_FOUND', 'ASSET_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const read = await readPricedAsset(api, caller, params);
    const now = await api.readingTime();
    return ok(enveloped(presentAsset(read, api.networkId), now));
  },
});

const AssetRemoved = z.object({
  status: z.literal('success'),
  data: z.object({
    assetId: z.uuid(),
    removalStatus: z
      .literal('COMPLETED')
      .describe('The asset no longer counts in the vault. For the status of its return, see `transaction`.'),
    transactionHash: z.string().describe('Hash of the transaction that returns the asset.'),
    updatedValuation: z.object({
      total: AmountText.describe('Value of the remaining assets in lovelace.'),
      timestamp: Timestamp,
    }),
    transaction: SpecTransaction,
  }),
});

const removeAssetRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'removeAsset',
  specified: true,
  summary: 'Return an asset',
  description: [
    'The contributor and the admin of the vault can return a LOCKED asset while the asset window is open. Its ' +
      'delivery deposit pays the fee.',
    'In the last day of the window, the admin can return only assets that arrived on that day. In a window under ' +
      'two days, the second half counts as the last day.',
    platformSignedText,
  ].join('\n\n'),
  success: 'The return has started. The asset no longer counts in the vault.',
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

/** The operations on assets, in the order of the OpenAPI document. */
export const assetRoutes = [addAssetRoute, listAssetsRoute, readAssetRoute, removeAssetRoute];
