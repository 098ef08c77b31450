import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { assetStatuses, assetTypes } from '../../domain/asset/asset.ts';
import { isoText } from '../../domain/units/instant.ts';
import { totals } from '../../domain/asset/valuation.ts';
import { listAssets } from '../../store/vault-assets.ts';
import { findAsset } from '../../store/assets.ts';
import { vaultPrices } from '../../store/prices.ts';
import { lockedAssets, pricedAsset } from '../../services/settlements/settlement-input.ts';
import { findVault } from '../../store/vaults.ts';
import { created, ok } from '../server/answer.ts';
import { AssetResource, presentAsset } from './response.ts';
import { AssetTypeEnum, ValuationMethodEnum } from './enums.ts';
import { AddAsset, parseAssetParams } from './request.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Pagination } from '../server/envelope.ts';
import { AddressFilter, AmountText, ResourceId, Timestamp, CaseInsensitive } from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { actorOf } from '../../services/actor.ts';
import { addAsset, prefetchAddAsset } from '../../services/assets/add-asset.ts';
import { removeAsset } from '../../services/assets/remove-asset.ts';
import { platformSignedText, unsignedTransactionText, optionalWalletText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { PlatformTransaction, presentBuilt, WalletTransaction } from '../transactions/response.ts';
import { ownershipAttributes, requireReadableVault } from '../../services/vaults/vault-access.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });
const OneAsset = OneVault.extend({ assetId: ResourceId });

const AssetAdded = z.object({
  vault_id: z.uuid(),
  asset_id: z.uuid(),
  transaction: WalletTransaction,
  status: z.literal('added'),
  valuation: z.object({
    method: ValuationMethodEnum,
    value: z.number().describe('Lovelace that it counts for at its price now'),
  }),
  type: AssetTypeEnum,
  wallet_address: z.string().describe('The wallet that brings it'),
  delivery_deposit: AmountText.describe('Lovelace that come with it'),
  created_at: Timestamp,
});

export const postAsset = route({
  method: 'post',
  path: '/vaults/:vaultId/assets',
  operationId: 'addAsset',
  summary: 'Bring an asset into a vault while its asset window is open',
  description: [
    unsignedTransactionText,
    'The transaction also carries `delivery_deposit` lovelace, which pay for the way on or back; what is ' +
      'left of them returns.',
    optionalWalletText('wallet_address'),
    'An asset is an NFT unless `quantity` or `type` says CNT; a quantity is in whole tokens.',
  ].join(' '),
  answers: 'The asset is recorded as PENDING; it is LOCKED once its signed transaction is in a block',
  examples: {
    nft: {
      policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
      asset_name: 'HarbourLoft001',
      valuation_method: 'floor_price',
      metadata: { creator: 'Harbour Studio', legal_proof: 'https://harbour.example/deed.pdf' },
    },
    cnt: {
      policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
      asset_name: 'Harbour',
      type: 'CNT',
      quantity: '2500.5',
    },
  },
  permission: { resource: 'asset', action: 'CREATE' },
  params: OneVault,
  body: AddAsset,
  responses: { 201: AssetAdded },
  errors: [
    'VAULT_NOT_FOUND',
    'VAULT_ALREADY_ENDED',
    'ASSET_WINDOW_NOT_OPEN',
    'ASSET_WINDOW_CLOSED',
    'CONTRIBUTOR_NOT_WHITELISTED',
    'ASSET_NOT_WHITELISTED',
    'ASSET_TYPE_NOT_ALLOWED',
    'MAX_ASSETS_REACHED',
    'ASSET_ALREADY_IN_VAULT',
    'ASSET_NOT_IN_WALLET',
    'INSUFFICIENT_FUNDS',
    'INVALID_ASSET_NAME',
    'INVALID_QUANTITY',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'PRICE_UNAVAILABLE',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  async handle({ params, body: request, caller, correlationId, idempotency }, context) {
    const assetParams = parseAssetParams(request);
    const owner = await actorOf(context, caller, request.wallet_address, 'wallet_address');
    const facts = await deferError(prefetchAddAsset(context, assetParams, owner.address));
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const addition = { ...params, params: assetParams, owner, caller, correlationId };
        const { asset, value, transaction, expiresAt } = await addAsset(work, context, addition, facts);
        return created({
          vault_id: asset.vaultId,
          asset_id: asset.id,
          transaction: presentBuilt(transaction, owner.signer, expiresAt),
          status: 'added',
          valuation: { method: asset.valuationMethod, value: Number(value) },
          type: asset.type,
          wallet_address: asset.owner,
          delivery_deposit: asset.deliveryDeposit.toString(),
          created_at: isoText(asset.addedAt),
        });
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const AssetRemoved = z.object({
  status: z.literal('success'),
  data: z.object({
    assetId: z.uuid(),
    removalStatus: z.literal('COMPLETED').describe('It counts no longer; `transaction` tells how far it is on its way'),
    transactionHash: z.string().describe('Of the transaction that returns it'),
    updatedValuation: z.object({
      total: AmountText.describe('Lovelace that the remaining assets count for'),
      timestamp: Timestamp,
    }),
    transaction: PlatformTransaction,
  }),
});

export const deleteAsset = route({
  method: 'delete',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'removeAsset',
  summary: 'Return an asset to its contributor while the asset window is open',
  description: [
    "By who brought it or by the vault's admin, once it is LOCKED. Its delivery deposit pays.",
    platformSignedText,
  ].join(' '),
  answers: 'The asset is on its way back; it counts no longer',
  permission: { resource: 'asset', action: 'DELETE', attributes: removalFacts },
  params: OneAsset,
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
  async handle({ params, caller, correlationId, idempotency }, context) {
    const facts = await deferError(context.networkState());
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const { vault, transaction } = await removeAsset(work, context, { ...params, caller, correlationId }, facts);
        const { total } = await valuationOf(work.tx, vault);
        const data = {
          assetId: params.assetId,
          removalStatus: 'COMPLETED',
          transactionHash: transaction.hash,
          updatedValuation: { total: total.toString(), timestamp: isoText(work.now) },
          transaction: { tx_hash: transaction.hash, status: 'pending', block_height: null },
        } as const;
        return ok({ status: 'success', data });
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

/** Who brought the asset and the vault's admin may return it. */
async function removalFacts({ vaultId, assetId }: z.output<typeof OneAsset>, context: ApiContext, caller: Caller) {
  const [asset, vault] = await Promise.all([findAsset(context.db, assetId), findVault(context.db, vaultId)]);
  const isThere = vault !== null && asset?.vaultId === vaultId;
  return ownershipAttributes(context, caller, isThere ? vaultId : undefined, [asset?.owner, vault?.createdBy]);
}

async function valuationOf(...[db, vault]: Parameters<typeof lockedAssets>) {
  const assets = await lockedAssets(db, vault);
  return totals(assets.map(({ asset: { type }, value }) => ({ type, value })));
}

export const getAssets = route({
  method: 'get',
  path: '/vaults/:vaultId/assets',
  operationId: 'listAssets',
  summary: 'List the assets of a vault',
  description:
    'Prices are lovelace for one whole token; `currentValue` is what the asset counts for in the vault, in ' +
    'lovelace. Those that never arrived are not listed.',
  answers: 'A page of assets',
  permission: { resource: 'asset', action: 'READ' },
  params: OneVault,
  query: z.strictObject({
    ...pageQuery(['addedAt', 'status', 'type']),
    status: CaseInsensitive(assetStatuses).optional(),
    type: CaseInsensitive(assetTypes).optional(),
    addedBy: AddressFilter.optional(),
  }),
  responses: {
    200: z.object({
      status: z.literal('success'),
      data: z.object({ assets: z.array(AssetResource), pagination: Pagination }),
    }),
  },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { db } = context;
    const { id: vaultId, terms } = await requireReadableVault(context, caller, params.vaultId);
    const { status, type, addedBy: owner } = query;
    const { assets, total } = await listAssets(db, { vaultId, status, type, owner }, pageOf(query, 'addedAt:asc'));
    const prices = await vaultPrices(db, [vaultId]);
    const priced = assets.map((asset) => presentAsset(pricedAsset(asset, terms, prices)));
    return ok({ status: 'success', data: { assets: priced, pagination: paginationOf(query, total) } });
  },
});
