import type { Keys } from '../cardano/keys/keys.ts';
import { type DepositPrice, priceSealText, type SealedPrice } from './rules/price-seal.ts';
import type { Price } from './rules/valuation.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { transactionsById } from '../transactions/queries/chain-transactions.ts';
import type { Db } from '../platform/database/database.ts';

/** What seals prices: the worker alone has it. */
export type Sealing = Pick<Keys, 'seal'>;

/** An asset, and the output that holds it as `<hash>#<index>`. */
export type DepositedAsset = Asset & { readonly deposit: string };

/** Assets with the outputs that hold them. */
export async function withDeposits(db: Db, assets: readonly Asset[]): Promise<DepositedAsset[]> {
  const makers = await transactionsById(db, [...new Set(assets.map(({ addTransactionId }) => addTransactionId))]);
  return assets.map((asset) => {
    const txHash = makers.get(asset.addTransactionId)?.hash ?? '';
    return { ...asset, deposit: refText({ txHash, index: asset.depositIndex }) };
  });
}

/** A price that the worker has decided, with its seal: whoever writes Postgres cannot make another one. */
export function sealedPrice(
  { seal }: Sealing,
  kind: DepositPrice['kind'],
  asset: DepositedAsset,
  price: Price,
): SealedPrice {
  return { ...price, seal: seal(priceSealText({ kind, asset, deposit: asset.deposit, price })) };
}

/** The price of an asset that the worker has sealed; null when it has not, or when its row says something else since. */
export function readSealed(keys: Sealing, kind: DepositPrice['kind'], asset: DepositedAsset): Price | null {
  const price = kind === 'counted' ? asset.countedPrice : asset.price;
  return price !== null && sealedPrice(keys, kind, asset, price).seal === asset.seals[kind] ? price : null;
}
