import type { ActingWallet } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { supersede } from './on-ledger.ts';
import {
  insertAssets,
  type NewAsset,
  isNftTaken,
  type DepositedNft,
  recordAsFungible,
  setSupplyUnchecked,
  depositedNfts,
} from './queries/assets.ts';
import { type DepositGuard, lockNft } from './queries/deposits.ts';
import { unspentOrMissingAssets } from './queries/listed-assets.ts';
import { unitOf, type AssetClass, isUnique, type AssetType } from './rules/asset.ts';
import {
  type AssetParams,
  baseTypeOf,
  parseQuantity,
  requireAcceptedType,
  requireValuationMethod,
  withTypeOnLedger,
  requireWorth,
} from './rules/requested-asset.ts';
import { buildAddAssets, deliveryDeposits } from '../cardano/build/deposits.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import { depositAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { ServiceContext } from '../context.ts';
import { mapInBatches } from '../platform/async.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError, settleAll, throwFailures } from '../platform/errors.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { storePrices } from '../prices/queries/prices.ts';
import { customPriceOf, requireFresh, valueOf, type Price } from '../prices/rules.ts';
import { type DepositedAsset, withDeposits } from '../prices/fresh-price.ts';
import { lockTransaction } from '../transactions/queries/transactions.ts';
import {
  type StartedTransaction,
  startWalletTransaction,
  prefetchWallet,
  type WalletPrefetch,
} from '../transactions/start-wallet-transaction.ts';
import { isBuiltInAssetType } from '../types/rules.ts';
import { addToAssetCount } from '../vaults/queries/vault-changes.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import {
  type OpenWindow,
  requireOpenForDeposits,
  requireVaultWithOpenWindow,
  accessOf,
} from '../vaults/require-vault.ts';
import { acceptsPolicy, mayContribute } from '../vaults/rules/access.ts';
import type { WorkerContext } from '../worker-context.ts';

interface StartedAsset extends NewAsset {
  /** Lovelace. */
  readonly value: Lovelace;
}

export interface StartedAssets extends StartedTransaction {
  /** In the order of the request. */
  readonly assets: readonly StartedAsset[];
  /** What the script of their deposit depends on. */
  readonly guard: DepositGuard;
}

/**
 * Records assets and the one transaction that brings them to their owner's deposit address, while the asset window is
 * open: all of them or none. An unsigned attempt of the same wallet to add one of the NFTs is superseded.
 */
export async function addAssets(
  context: TransactionContext,
  { networkId, durationBounds }: ServiceContext,
  input: AddAssetsInput,
  prefetch: AddAssetsPrefetch,
): Promise<StartedAssets> {
  const open = await requireOpenForDeposits(context, input.caller, input.vaultId, 'asset');
  const { vault } = open;
  requireAccepted(vault, input);
  const parts = input.assets.map((params, position) => {
    try {
      return partsOf(context, params, prefetch, { position, open, maxAge: durationBounds.valuationAge.max });
    } catch (cause) {
      throw input.errorAt(cause, position);
    }
  });
  await reserveNfts(context, parts, input.owner.address, input.errorAt);
  const { address: depositAddress } = depositAddressOf(vault, input.owner.paymentKeyHash, networkId);
  const added = { vaultId: vault.id, owner: input.owner.address, addedAt: context.now };
  const assetsOf = (addTransactionId: string) => parts.map((part) => ({ ...part, ...added, addTransactionId }));
  const record = async (transactionId: string) => {
    await insertAssets(context.tx, assetsOf(transactionId));
    await storeMarketPrices(context, parts);
  };
  const started = await startDeposit(context, input, { ...open, parts, record, depositAddress, prefetch });
  if (input.owner.signer === 'platform' && !(await addToAssetCount(context.tx, vault.id, parts.length)))
    throw new ServiceError('MAX_ASSETS_REACHED');

  const { floorPricePercentage } = vault.terms;
  const valued = assetsOf(started.transactionId).map((asset) => ({
    ...asset,
    value: valueOf(asset.quantity, asset.price, floorPricePercentage),
  }));
  return { ...started, assets: valued, guard: vault };
}

/** Of each class once: one statement cannot change a row twice. What an admin says is no price of the market, which other vaults read. */
async function storeMarketPrices({ tx, now }: TransactionContext, assets: readonly AssetParts[]): Promise<void> {
  const ofMarket = assets.filter(({ valuationMethod }) => valuationMethod !== 'custom');
  const classes = new Map(ofMarket.map((asset) => [unitOf(asset), asset]));
  const prices = [...classes.values()].map((asset) => ({ asset, price: asset.price }));
  await storePrices(tx, prices, now);
}

type AssetParts = Omit<NewAsset, 'vaultId' | 'owner' | 'addTransactionId' | 'addedAt'>;

interface AssetPlace {
  readonly position: number;
  readonly open: OpenWindow;
  /** Of its price. */
  readonly maxAge: number;
}

/** The asset as the ledger and its price say it is. */
function partsOf(
  { ids, now }: TransactionContext,
  requested: AssetParams,
  { market, chain }: AddAssetsPrefetch,
  { position, open, maxAge }: AssetPlace,
): AssetParts {
  const known = market[position];
  if (!known) throw new Error(`nothing was fetched for asset ${position}`);
  const { price, supply } = known;
  const { terms } = open.vault;
  const params = withTypeOnLedger(requested, baseTypeOf(terms.assetTypes, requested), supply, price);
  const rules = requireAcceptedType(terms, params);
  const valuationMethod = requireValuationMethod(terms, rules, params);
  if (valuationMethod !== 'custom') requireFresh(price, now, maxAge);
  const { policyId, assetName, metadata } = params;
  const customType = isBuiltInAssetType(params.type) ? null : params.type;
  const type = { type: rules.base, customType, quantity: parseQuantity(params, rules, price) };
  const deliveryDeposit = deliveryDeposits(chain.parameters).asset;
  const asset = { ...type, policyId, assetName, valuationMethod, metadata, price, deliveryDeposit };
  return { id: ids.next(), depositIndex: position, ...asset };
}

interface AssetsDeposit extends OpenWindow {
  readonly parts: readonly AssetParts[];
  readonly record: (transactionId: string) => Promise<void>;
  readonly depositAddress: string;
  readonly prefetch: AddAssetsPrefetch;
}

async function startDeposit(
  context: TransactionContext,
  { owner, caller, correlationId, errorAt }: AddAssetsInput,
  { parts, vault, window, record, depositAddress, prefetch }: AssetsDeposit,
): Promise<StartedTransaction> {
  const { chain } = prefetch;
  const deliveryDeposit = deliveryDeposits(chain.parameters).asset;
  const assets = parts.map((part) => ({ unit: unitOf(part), quantity: part.quantity }));
  try {
    return await startWalletTransaction(context, {
      kind: 'add_asset',
      vaultId: vault.id,
      actor: owner,
      prefetch,
      window,
      build: (payer, ttlSlot) =>
        buildAddAssets(chain, { owner: payer, depositAddress, assets, deliveryDeposit, ttlSlot }),
      record,
      action: 'ASSET_ADD_STARTED',
      brought: parts.map(({ id, policyId, assetName }) => ({
        resource: { type: 'asset', id },
        eventData: { assetId: id, policyId, assetName },
      })),
      caller,
      correlationId,
    });
  } catch (cause) {
    const lacking = cause instanceof ServiceError ? cause.details?.['unit'] : undefined;
    const position = assets.findIndex(({ unit }) => unit === lacking);
    throw position < 0 ? cause : errorAt(cause, position);
  }
}

/** What was fetched, before the unit of work, to add assets. */
interface AddAssetsPrefetch extends WalletPrefetch {
  /** In the order of the request. */
  readonly market: readonly AssetMarket[];
}

interface AssetMarket {
  /** Of the market, unless the vault has a price of its own for the asset. */
  readonly price: Price;
  /** Base units on the ledger; null while the ledger does not know the asset. */
  readonly supply: bigint | null;
}

interface AddAssetsInput {
  readonly vaultId: string;
  readonly assets: readonly AssetParams[];
  /** The error about the asset at this position, with the fields as the request names them. */
  readonly errorAt: (cause: unknown, position: number) => unknown;
  readonly owner: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** A request must not take all of the capacity of ledger and price source. */
const ASKED_AT_ONCE = 4;

/**
 * Reads the prices of assets and what their owner can pay with. Throws what `addAssets` would throw before it asks outside,
 * ASSET_NOT_IN_WALLET, ASSET_ALREADY_IN_VAULT, PRICE_UNAVAILABLE and LEDGER_UNAVAILABLE.
 */
export async function prefetchAddAssets(context: ServiceContext, input: AddAssetsInput): Promise<AddAssetsPrefetch> {
  const { vaultId, caller } = input;
  const vault = await requireVaultWithOpenWindow(context, caller, vaultId, 'asset');
  requireAccepted(vault, input);
  const wallet = await prefetchWallet(context, input.owner, input.assets.map(unitOf));
  await requireHeld(context, vault, wallet, input);
  const market = await mapInBatches(input.assets, ASKED_AT_ONCE, (asset, position) =>
    marketOf(context, vault, asset).catch((cause: unknown) => {
      throw input.errorAt(cause, position);
    }),
  );
  return { ...wallet, market };
}

/** Throws ASSET_NOT_IN_WALLET, or ASSET_ALREADY_IN_VAULT for an NFT that a vault has, before prices and supplies are asked for. */
async function requireHeld(
  { db }: ServiceContext,
  { terms }: Vault,
  { utxos }: WalletPrefetch,
  { assets, owner, errorAt }: AddAssetsInput,
): Promise<void> {
  const position = assets.findIndex((asset) => !utxos.some((utxo) => utxo.assets.has(unitOf(asset))));
  const asset = assets[position];
  if (!asset) return;
  const { policyId, assetName } = asset;
  if (baseTypeOf(terms.assetTypes, asset) === 'NFT' && (await isNftTaken(db, asset)))
    throw errorAt(new ServiceError('ASSET_ALREADY_IN_VAULT', { policyId, assetName }), position);
  const details = { unit: unitOf(asset), available: '0', wallet: owner.address };
  throw errorAt(new ServiceError('ASSET_NOT_IN_WALLET', details), position);
}

function requireAccepted(vault: Vault, { assets, owner, errorAt }: AddAssetsInput): void {
  if (!mayContribute(accessOf(vault), owner.address)) throw new ServiceError('CONTRIBUTOR_NOT_WHITELISTED');
  for (const [position, asset] of assets.entries()) {
    try {
      const { policyId } = asset;
      if (!acceptsPolicy(vault.terms, policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED', { policyId });
      requireWorth(vault.terms, asset);
    } catch (cause) {
      throw errorAt(cause, position);
    }
  }
  const { maxAssets } = vault.terms;
  if (vault.countedAssets + assets.length > maxAssets) throw new ServiceError('MAX_ASSETS_REACHED', { maxAssets });
}

async function marketOf(
  { priceSource, ledger }: ServiceContext,
  { terms }: Vault,
  asset: AssetParams,
): Promise<AssetMarket> {
  const [price, supply] = await Promise.all([
    customPriceOf(terms, asset) ?? priceSource.priceOf(asset),
    ledger.assetSupply(unitOf(asset)),
  ]);
  return { price, supply };
}

/**
 * Asks the ledger how many exist of an NFT that a vault receives: it becomes a CNT when there are more than one (design D42), and
 * is marked while the ledger cannot say. Returns why it cannot, or null.
 */
async function checkSupply(
  { db, ledger }: Pick<ServiceContext, 'db' | 'ledger'>,
  nft: DepositedNft,
): Promise<ServiceError | null> {
  const supply = await supplyOf(ledger, nft);
  if (supply instanceof ServiceError) {
    await setSupplyUnchecked(db, nft, true);
    return supply;
  }
  if (isUnique(supply)) await setSupplyUnchecked(db, nft, false);
  else await recordAsFungible(db, nft);
  return null;
}

/** The supply, or the LEDGER_UNAVAILABLE why it is unknown. A backend that does not know what lies in a vault lags behind. */
async function supplyOf(ledger: Ledger, asset: AssetClass): Promise<bigint | ServiceError> {
  const unit = unitOf(asset);
  const unknown = () => new ServiceError('LEDGER_UNAVAILABLE', { reason: `it does not know ${unit} yet` });
  try {
    return (await ledger.assetSupply(unit)) ?? unknown();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'LEDGER_UNAVAILABLE') return error;
    throw error;
  }
}

/**
 * As `reserveNft` for those of these assets that are NFTs, in one order for all requests, so that no two of them wait for each other.
 * Throws ASSET_ALREADY_IN_VAULT for the asset at its position.
 */
async function reserveNfts(
  context: TransactionContext,
  assets: readonly (AssetClass & { readonly type: AssetType })[],
  wallet: string,
  errorAt: (cause: unknown, position: number) => unknown,
): Promise<void> {
  const nfts = [...assets.entries()].filter(([, { type }]) => type === 'NFT');
  const inOrder = nfts.toSorted(([, one], [, other]) => (unitOf(one) < unitOf(other) ? -1 : 1));
  for (const [position, nft] of inOrder) {
    try {
      await reserveNft(context, nft, wallet);
    } catch (cause) {
      throw errorAt(cause, position);
    }
  }
}

/**
 * Makes sure that this NFT is in no vault, and keeps others from adding it until the unit of work ends. An attempt that
 * nobody has signed reserves nothing (design D16): one of the same wallet is superseded. One of another wallet stays:
 * anybody can name the UTxO of an NFT that is not theirs, and the signature of its key decides which attempt continues.
 */
export async function reserveNft(context: TransactionContext, nft: AssetClass, wallet: string): Promise<void> {
  const { policyId, assetName } = nft;
  const claimed = await lockNft(context.tx, nft);
  const taken = () => new ServiceError('ASSET_ALREADY_IN_VAULT', { policyId, assetName });
  if (claimed.some(({ status }) => status === 'LOCKED')) throw taken();
  for (const known of claimed) {
    const transaction = await lockTransaction(context.tx, known.addTransactionId);
    if (transaction?.state === 'expired' || transaction?.state === 'failed') continue; // It ended since `known` was read.
    if (transaction?.state !== 'awaiting_signatures') throw taken();
    if (transaction.wallet === wallet) await supersede(context, transaction);
  }
}

/** A vault has a hundred assets at most, and no answer takes ten seconds: the activity that waits has a minute. */
const PRICES_ASKED_AT_ONCE = 50;

/**
 * The assets of a vault that its settlement prices. The supply of those that is unknown since they arrived is asked for again; not
 * that of others, of which whoever owns the policy could mint more at any time.
 */
export async function assetsToPrice(
  context: Pick<ServiceContext, 'db' | 'ledger'>,
  vaultId: string,
): Promise<readonly DepositedAsset[]> {
  const assets = await unspentOrMissingAssets(context.db, vaultId);
  const unchecked = assets.filter(({ supplyUnchecked, countedPrice }) => supplyUnchecked && countedPrice === null);
  if (unchecked.length === 0) return withDeposits(context.db, assets);
  const failures = await settleAll(unchecked, PRICES_ASKED_AT_ONCE, (asset) =>
    checkSupply(context, { ...asset, transactionId: asset.addTransactionId }),
  );
  throwFailures(failures);
  return withDeposits(context.db, await unspentOrMissingAssets(context.db, vaultId));
}

const SUPPLIES_ASKED_AT_ONCE = 10;

/**
 * Asks the ledger for the supply of the NFTs that the transactions of a block bring. Called before the block is recorded, which no
 * answer about one of them may keep waiting: an NFT of unknown supply is marked, and has no price until its supply is known.
 */
export async function checkTypesOfDeposits(
  context: Pick<WorkerContext, 'db' | 'ledger' | 'onUnknownSupply'>,
  hashes: readonly string[],
): Promise<void> {
  const deposited = await depositedNfts(context.db, hashes);
  const failures = await settleAll(deposited, SUPPLIES_ASKED_AT_ONCE, async (nft) => {
    const error = await checkSupply(context, nft);
    if (error) context.onUnknownSupply(nft, error);
  });
  throwFailures(failures);
}
