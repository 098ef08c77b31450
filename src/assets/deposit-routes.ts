import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import { route } from '../api-context.ts';
import { addAssets, type StartedAssets, prefetchAddAssets } from './add-assets.ts';
import { addAssetErrors } from './routes.ts';
import { errorOfListedAsset, unitOf } from './rules/asset.ts';
import { type AssetParams, parseRequestedAsset } from './rules/requested-asset.ts';
import { AssetMetadata, assetTypeText, ValuationMethodText, AssetTypeName, ValuationMethodEnum } from './schemas.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { fieldError } from '../platform/errors.ts';
import {
  depositorText,
  unsignedTransactionText,
  AssetNameText,
  PolicyId,
  TokenAmount,
  TypeName,
  AmountText,
  BaseUnitsText,
  ResourceId,
  Timestamp,
} from '../platform/http/fields.ts';
import { Enveloped, enveloped } from '../platform/http/envelope.ts';
import { created } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { isoText } from '../platform/units/time.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../transactions/routes/owner-script.ts';
import { OperationTransaction, presentBuilt } from '../transactions/routes/response.ts';
import { payerFields, depositorOf, FUNDS_BODY_LIMIT, payerOf } from '../transactions/routes/wallet-funds.ts';

/** As many as a transaction holds when its owner keeps few other assets in the same UTxOs. */
const MAX_ASSETS = 40;

const { legal_proof: legalProof, image_url: imageUrl, ...sharedMetadata } = AssetMetadata.shape;

const DepositedAsset = z
  .strictObject({
    policyId: PolicyId,
    assetName: AssetNameText,
    type: TypeName.describe(assetTypeText).optional(),
    quantity: TokenAmount.optional(),
    valuationMethod: ValuationMethodText,
    metadata: z.strictObject({ ...sharedMetadata, legalProof, imageUrl }).default({}),
  })
  .meta({ id: 'DepositedAsset' });

/** Body of POST /vaults/{vaultId}/deposits. */
const CreateDeposit = z
  .strictObject({
    ...payerFields,
    assets: z
      .array(DepositedAsset)
      .min(1)
      .max(MAX_ASSETS)
      .describe('Each becomes an asset of its own; none is listed twice'),
  })
  .meta({ id: 'CreateDeposit' });

type DepositRequest = z.output<typeof CreateDeposit>;

/** The listed assets as domain input. Throws INVALID_ASSET_NAME and INVALID_REQUEST, which name `assets.<position>.<field>`. */
function parseDepositedAssets({ assets }: DepositRequest): AssetParams[] {
  const listed = new Set<string>();
  return assets.map((asset, position) => {
    try {
      const params = parseRequestedAsset(asset);
      if (listed.has(unitOf(params)))
        throw fieldError('INVALID_REQUEST', 'assetName', 'The asset is listed twice. List each asset once.');
      listed.add(unitOf(params));
      return params;
    } catch (cause) {
      throw errorOfListedAsset(cause, position);
    }
  });
}

const policyId = 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456';

const createDepositExamples = {
  twoAssets: {
    assets: [
      { policyId, assetName: 'HarbourLoft001', metadata: { creator: 'Harbour Studio' } },
      { policyId, assetName: 'Harbour', type: 'CNT', quantity: '2500.5' },
    ],
  },
};

const DepositStarted = z.object({
  vaultId: z.uuid(),
  walletAddress: z.string().describe('Wallet that brings the assets'),
  assets: z
    .array(
      z.object({
        assetId: z.uuid(),
        policyId: z.string(),
        assetNameHex: z.string(),
        type: AssetTypeName,
        quantityBaseUnits: BaseUnitsText,
        valuationMethod: ValuationMethodEnum,
        value: AmountText.describe('Value of the asset in the vault at its present price, in lovelace'),
        status: z.literal('PENDING'),
      }),
    )
    .describe('In the order of the request'),
  deliveryDeposit: AmountText.describe('Lovelace sent along with each asset'),
  createdAt: Timestamp,
  ownerScript: OwnerScript,
  transaction: OperationTransaction,
});

export const createDepositRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/deposits',
  operationId: 'createDeposit',
  summary: 'Add up to 40 assets to a vault in one transaction with one signature',
  description: [
    unsignedTransactionText,
    'Each asset is one of its own afterwards, as if it had been added alone: it is removed, priced and settled by its own id.',
    'The request is accepted or refused as a whole; a refusal names the asset as `assets.<position>.<field>`. All assets must fit ' +
      'below the maximum of the vault, and into one transaction of the ledger (16 KB); otherwise `ASSETS_DO_NOT_FIT` says how many ' +
      'of the first ones do.',
    'The transaction also carries `deliveryDeposit` lovelace with each asset, which pay for delivering or returning it; the owner ' +
      'gets back what is left.',
    depositorText('walletAddress'),
    'Types and quantities are as in `POST /api/v1/vaults/{vaultId}/assets`.',
  ].join(' '),
  success: 'The assets are recorded as PENDING; they become LOCKED once the signed transaction is in a block',
  examples: createDepositExamples,
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'asset', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: CreateDeposit,
  responses: { 201: Enveloped(DepositStarted) },
  errors: [...addAssetErrors, 'ASSETS_DO_NOT_FIT'],
  errorFields: {
    CONTRIBUTOR_NOT_WHITELISTED: 'walletAddress',
    // Those about one asset name it themselves.
    ASSET_NOT_WHITELISTED: 'assets',
    ASSET_IS_REFERENCE_TOKEN: 'assets',
    ASSET_TYPE_NOT_ALLOWED: 'assets',
    VALUATION_METHOD_NOT_ALLOWED: 'assets',
    ASSET_ALREADY_IN_VAULT: 'assets',
    ASSET_NOT_IN_WALLET: 'assets',
    PRICE_UNAVAILABLE: 'assets',
    ASSETS_DO_NOT_FIT: 'assets',
    INSUFFICIENT_FUNDS: 'walletAddress',
  },
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency }, api) {
    const assets = parseDepositedAssets(body);
    const owner = depositorOf(api, await payerOf(api, caller, body));
    const input = { vaultId, assets, errorAt: errorOfListedAsset, owner, caller, correlationId };
    const prefetch = await prefetchAddAssets(api, input);
    return runOnce(api, idempotency, async (context) => {
      const started = await addAssets(context, api, input, prefetch);
      return created(enveloped(presentStartedDeposit(started, owner, api.networkId), context.now));
    });
  },
});

function presentStartedDeposit(
  { assets, guard, transaction, expiresAt }: StartedAssets,
  { address, signer }: Actor,
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof DepositStarted>> {
  const [first] = assets;
  if (!first) throw new Error('a deposit has an asset');
  return {
    vaultId: first.vaultId,
    walletAddress: address,
    assets: assets.map((asset) => ({
      assetId: asset.id,
      policyId: asset.policyId,
      assetNameHex: asset.assetName,
      type: asset.customType ?? asset.type,
      quantityBaseUnits: asset.quantity.toString(),
      valuationMethod: asset.valuationMethod,
      value: asset.value.toString(),
      status: 'PENDING',
    })),
    deliveryDeposit: first.deliveryDeposit.toString(),
    createdAt: isoText(first.addedAt),
    ownerScript: depositOwnerScript(guard, address, networkId),
    transaction: presentBuilt(transaction, signer, expiresAt),
  };
}
