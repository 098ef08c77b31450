import { z } from 'zod';
import type { ActingWallet } from '../access/acting-wallet.ts';
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
      .describe('The assets. Each becomes a separate asset. List each one once.'),
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
  walletAddress: z.string().describe('Wallet that deposits the assets.'),
  assets: z
    .array(
      z.object({
        assetId: z.uuid(),
        policyId: z.string(),
        assetNameHex: z.string(),
        type: AssetTypeName,
        quantityBaseUnits: BaseUnitsText,
        valuationMethod: ValuationMethodEnum,
        value: AmountText.describe('Value of the asset in the vault at its current price, in lovelace.'),
        status: z.literal('PENDING'),
      }),
    )
    .describe('The assets, in the order of the request.'),
  deliveryDeposit: AmountText.describe(
    'Lovelace sent with each asset. It pays for the delivery or return, and the owner gets the rest back.',
  ),
  createdAt: Timestamp,
  ownerScript: OwnerScript,
  transaction: OperationTransaction,
});

export const createDepositRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/deposits',
  operationId: 'createDeposit',
  summary: 'Add up to 40 assets at once',
  description: [
    'Adds all assets, or none, in one transaction with one signature. Afterwards each asset has its own ID, ' +
      'price and settlement. Types and quantities are as in `addAsset`.',
    unsignedTransactionText,
    depositorText('walletAddress'),
    'An error names the asset as `assets.<position>.<field>`. If they exceed one transaction (16 KB), ' +
      '`ASSETS_DO_NOT_FIT` says how many fit.',
  ].join('\n\n'),
  success: 'The assets are PENDING. They become LOCKED when the signed transaction is in a block.',
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
  { address, signer }: ActingWallet,
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
